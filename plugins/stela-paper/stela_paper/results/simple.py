"""Sections that are a table of metrics, and a figure where there is a curve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from stela_paper.results.figures import boxes, panels
from stela_paper.results.intervals import difference, signs
from stela_paper.results.markdown import cell, listed, share, table
from stela_paper.results.models import marked
from stela_paper.results.reading import LANGUAGES, Run

SIZE = "size"
"""In place of a metric's name: the share of tests of unmarked text with p <= 0.01."""


def metrics(run: Run, names: dict[str, str], lengths: Sequence[int] | None = None, digits: int = 2) -> str:
    """Schemes by languages and lengths, a column for each metric (name to heading)."""
    rows = []
    for model in run.experiment["models"]:
        for code in run.languages:
            for length in lengths or run.experiment["lengths"]:
                for label in run.labels:
                    where = {"model": model, "language": code, "label": label, "length": length}
                    where["attack"] = "none"
                    cells = [
                        share(run.size(code, label, length, model))
                        if name == SIZE
                        else cell(run.value(name, **where), digits)
                        for name in names
                    ]
                    if any(value != "–" for value in cells):
                        rows.append((model, LANGUAGES[code], str(length), label, *cells))
    header = ["model", "language", "tokens", "scheme", *names.values()]
    if len(run.experiment["models"]) == 1:
        header, rows = header[1:], [row[1:] for row in rows]
    if len(lengths or run.experiment["lengths"]) == 1:
        at = header.index("tokens")
        header, rows = [*header[:at], *header[at + 1 :]], [(*row[:at], *row[at + 1 :]) for row in rows]
    return table(header, rows)


def detection(run: Run, figures: Path) -> str:
    """TPR of five schemes, with the strength that was measured."""
    lines = {
        code: {
            label: (
                run.experiment["lengths"],
                [
                    (
                        run.value("tpr@p<=0.01", language=code, label=label, length=n)
                        or {"value": float("nan")}
                    )["value"]
                    for n in run.experiment["lengths"]
                ],
            )
            for label in run.labels
        }
        for code in run.languages
    }
    panels(figures / "detection.svg", lines, "tokens", "found at p ≤ 0.01")
    names = {"tpr@p<=0.01": "found at p ≤ 0.01", SIZE: "size", "tpr@0.01:human": "TPR at 1 % FPR"}
    names |= {"tpr@0.05:human": "at 5 %", "f1:human": "best F1", "auc:human": "AUC", "bias": "mean bias"}
    shown = metrics(run, names, _below_the_ceiling(run))
    biases = {
        (code, label): run.value("bias", language=code, label=label, length=run.experiment["lengths"][-1])
        for code in run.languages
        for label in ("kgw", "stela")
    }
    ratio = [
        f"{LANGUAGES[c]} {biases[c, 'stela']['value'] / biases[c, 'kgw']['value']:.2f}"  # type: ignore[index]
        for c in run.languages
    ]
    return f"""**Not at equal strength**: dividing delta by the mean of lambda over context *types*, as the paper does, applies
more than delta on real text. Measured mean bias of STELA over that of KGW: {"; ".join(ratio)}. What STELA gains in
this table is to be read with that; a comparison at equal strength is another. Where all is found, a ceiling hides
differences: lengths at which every scheme finds 99 % in every language are left out. "Size" is the share of the tests of unmarked
text (people's and the model's, {run.experiment["keys"]} keys each) with p ≤ 0.01. p-values of few tokens of equal weight move in steps, so
a nominal 1 % is less in truth, and schemes of unlike sizes are unlike tests: TPR at a rate measured on unmarked text
compares them fairly.

![found by length](results/detection.svg)

{shown}
The paper's table (TPR at 5 % FPR / best F1; 500 prompts a language, length not stated), and the same of the models here:

{marked("paper's table", "")}
"""


def _below_the_ceiling(run: Run) -> list[int]:
    """Lengths at which something is missed, the first two in any case."""
    lengths: list[int] = run.experiment["lengths"]
    return [n for place, n in enumerate(lengths) if place < 2 or not _all_found(run, n)]


def _all_found(run: Run, length: int) -> bool:
    values = [
        run.value("tpr@0.01:human", language=code, label=label, length=length)
        for code in run.languages
        for label in run.labels
    ]
    return all(value is None or value["value"] >= 0.99 for value in values)


def contexts(run: Run, figures: Path) -> str:
    """Z by k, each less the first."""
    names = {"tpr@p<=0.01": "found at p ≤ 0.01", SIZE: "size", "bias": "mean bias"}
    return _less_first(run) + "\n" + metrics(run, names)


def _less_first(run: Run) -> str:
    length = run.experiment["lengths"][-1]
    first, *others = sorted(run.labels)
    rows, gaps, places = [], [], []
    for code in run.languages:
        base = run.scores(code, first, length)
        for label in others:
            other = run.scores(code, label, length)
            if not other:
                continue
            pairs = run.paired(other, base)
            gaps.append(difference(pairs))
            places.append((label, LANGUAGES[code]))
            z = [f"{mean:.2f}" for mean in pairs.means]
            rows.append((LANGUAGES[code], label, first, *z, str(gaps[-1])))
    better = [
        f"{label} is {'better' if sign > 0 else 'worse'} in {language}"
        for (label, language), sign in zip(places, signs(gaps), strict=True)
        if sign
    ]
    header = ("language", "scheme", "against", "z", "z of that", "difference")
    told = f"Told apart, corrected for the {len(gaps)} comparisons of this table (Holm): {listed(better)}."
    return f"{table(header, rows)}\n{told} (z at {length} tokens, paired by prompt and key)\n"


def judge_of(run: Run) -> str:
    """Name of the model under which perplexity was measured."""
    named = [one for one in run.experiment["metrics"] if isinstance(one, dict)]
    return Path(next((one["model"] for one in named if one["name"] == "quality-perplexity"), "a model")).name


def perplexity(run: Run, figures: Path) -> str:
    """Perplexity and diversity beside unmarked text."""
    boxes(
        figures / "perplexity.svg",
        {
            code: {
                "human": run.each("perplexity:human", language=code),
                "unmarked": run.each("perplexity:unmarked", language=code),
                **{label: run.each("perplexity", language=code, label=label) for label in run.labels},
            }
            for code in run.languages
        },
        f"perplexity under {judge_of(run)}",
    )
    names = {
        "perplexity": "perplexity",
        "perplexity:unmarked": "unmarked",
        "log-perplexity-difference": "rise of its logarithm",
        "log-diversity": "log-diversity",
        "log-diversity:unmarked": "unmarked ",
        "seq-rep-3": "repeated 3-grams",
        "bias": "mean bias",
    }
    return f"![distributions of perplexity](results/perplexity.svg)\n\n{metrics(run, names)}"


def classes(run: Run, figures: Path) -> str:
    """Z by word class."""
    names = {"classes-z": "z"}
    for name in ("content", "function", "other"):
        names |= {f"classes-{name}-share": f"{name}: tokens", f"classes-{name}-part": "adds to z"}
        names |= {f"classes-{name}-z": "z alone"}
    return metrics(run, names)


def attacks(run: Run, figures: Path) -> str:
    """What is found after each attack, and the curve of synonyms."""
    length = run.experiment["lengths"][-1]
    attacks_run = list(dict.fromkeys(record["attack"] for record in run.records))
    rows = []
    for attack in attacks_run:
        for code in run.languages:
            where = {"language": code, "attack": attack, "length": length}
            cells = [
                cell(run.value(name, label=label, **where))
                for name in ("tpr@p<=0.01", "f1:human")
                for label in run.labels
            ]
            if any(value != "–" for value in cells):
                rows.append((re.sub(r", path=[^,)]*", "", attack), LANGUAGES[code], *cells))
    lines: dict[str, dict[str, tuple[list[float], list[float]]]] = {"en": {}}
    for label in run.labels:
        points = [(0.0, "none")]
        points += [
            (float(m.group(1)), attack)
            for attack in attacks_run
            if (m := re.match(r"wordnet\(share=([\d.]+)", attack))
        ]
        known = [
            (x, v) for x, a in points if (v := run.value("tpr@p<=0.01", language="en", label=label, attack=a))
        ]
        lines["en"][label] = ([x for x, _ in known], [v["value"] for _, v in known])
    panels(
        figures / "attacks.svg",
        lines,
        "share of words replaced by a synonym",
        f"found at p ≤ 0.01, {length} tokens",
    )
    biases = [
        f"{LANGUAGES[code]} {label} {cell(run.value('bias', language=code, label=label, attack='none'))}"
        for code in run.languages
        for label in run.labels
    ]
    header = ("attack", "language", *run.labels, *(f"best F1, {label}" for label in run.labels))
    return f"""Share found at p ≤ 0.01, {length} tokens before the attack, at equal mean bias (measured: {"; ".join(biases)}).
Function words and names have no synonym: of human text WordNet reaches about 36 % of the words, so shares above that change no more.

{table(header, rows)}
![synonyms](results/attacks.svg)
"""


def scaling(run: Run, figures: Path) -> str:
    """The same marks in models of different size."""
    names = {"tpr@p<=0.01": "found at p ≤ 0.01", SIZE: "size", "auc:human": "AUC", "bias": "mean bias"}
    return metrics(run, names)


def freedom(run: Run, figures: Path) -> str:
    """Correlations of weights with the model's entropy, for each kind of text that was measured."""
    parts = []
    for prefix, told in (
        ("freedom", "Human text"),
        ("freedom-model", "The model's own text, unmarked"),
        ("freedom-marked", "Marked text"),
    ):
        names = {}
        for unit in ("token", "sentence"):
            for entropy in ("shannon", "spike"):
                names[f"{prefix}-{unit}-{entropy}-spearman"] = f"{unit}s, {entropy}: Spearman"
                names[f"{prefix}-{unit}-{entropy}-pearson"] = "Pearson"
        if any(names.keys() & record["values"].keys() for record in run.records):
            parts.append(f"{told}:\n\n{metrics(run, names)}")
    return "\n".join(parts)


def null(run: Run, figures: Path) -> str:
    """Observed rates of false alarms at nominal p-values."""
    parts = []
    for kind, told in (
        ("human", f"Human text, {run.experiment['keys']} keys a text"),
        ("model", "Unmarked text of the model, as many"),
    ):
        names = {f"null-fpr@{level:g}:{kind}": f"p ≤ {level:g}" for level in (0.1, 0.01, 0.001)}
        names |= {f"null-plain-fpr@0.01:{kind}": "plain z at 1 %"}
        names |= {f"null-z-mean:{kind}": "mean z", f"null-z-sd:{kind}": "sd"}
        names |= {f"null-z-plain-mean:{kind}": "mean plain z", f"null-z-plain-sd:{kind}": "its sd"}
        parts.append(f"{told}:\n\n{metrics(run, names, digits=4)}")
    return "\n".join(parts)
