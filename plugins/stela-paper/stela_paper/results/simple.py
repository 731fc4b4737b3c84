"""Tables of metrics, by name of the table; the main one's is empty. A figure is drawn where there is a curve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

from stela_paper.results.figures import boxes, panels
from stela_paper.results.grids import Row, Rows
from stela_paper.results.intervals import difference, verdicts
from stela_paper.results.markdown import cell, share
from stela_paper.results.reading import LANGUAGES, Run

Tables = dict[str, Rows]

SIZE = "size"
"""Name in place of a metric's: the share of tests of unmarked text with p <= 0.01."""

FOUND = "found at p ≤ 0.01"
RATE = "TPR at 5 % FPR"
KINDS = {
    "human text": "freedom",
    "unmarked text of the model": "freedom-model",
    "marked text": "freedom-marked",
}
"""Kinds of texts whose freedom is measured, and the beginnings of their metrics' names."""


def metrics(run: Run, names: dict[str, str], digits: int = 2, first: Row | None = None) -> Rows:
    """Schemes by languages and lengths, a column for each metric (name to heading)."""
    rows = []
    for model in run.experiment["models"]:
        for code in run.languages:
            for length in run.experiment["lengths"]:
                for label in run.labels:
                    where = {"model": model, "language": code, "label": label, "length": length}
                    where["attack"] = "none"
                    cells = {
                        heading: share(run.size(code, label, length, model))
                        if name == SIZE
                        else cell(run.value(name, **where), digits)
                        for name, heading in names.items()
                    }
                    if any(value != "–" for value in cells.values()):
                        place = {"model": Path(model).name, "language": LANGUAGES[code]}
                        place |= {"tokens": str(length), "scheme": label}
                        rows.append({**(first or {}), **place, **cells})
    return rows


def detection(run: Run, figures: Path) -> Tables:
    """What is found of each scheme, its mean over languages, and STELA's strength over KGW's."""
    lines = {
        code: {label: (run.experiment["lengths"], _found(run, code, label)) for label in run.labels}
        for code in run.languages
    }
    panels(figures / "detection.svg", lines, "tokens", FOUND)
    names = {"tpr@p<=0.01": FOUND, SIZE: "size", "tpr@0.01:human": "TPR at 1 % FPR"}
    names |= {"tpr@0.05:human": RATE, "f1:human": "best F1", "auc:human": "AUC", "bias": "mean bias"}
    means = [
        {"tokens": str(length), "scheme": label, f"mean {RATE}": f"{_mean_rate(run, label, length):.3f}"}
        for length in run.experiment["lengths"]
        for label in run.labels
    ]
    return {"": metrics(run, names), "mean": means, "rates": _rates(run), "strength": _strength(run)}


def _found(run: Run, code: str, label: str) -> list[float]:
    values = [
        run.value("tpr@p<=0.01", language=code, label=label, length=n) for n in run.experiment["lengths"]
    ]
    return [float("nan") if value is None else value["value"] for value in values]


def _mean_rate(run: Run, label: str, length: int) -> float:
    rates = [run.value("tpr@0.05:human", language=c, label=label, length=length) for c in run.languages]
    return fmean([rate["value"] for rate in rates if rate] or [0.0])


def _rates(run: Run) -> Rows:
    """Rates as in the paper, at the longest length at which the middle scheme misses one in a hundred."""
    lengths: list[int] = run.experiment["lengths"]
    middle = {n: median(_mean_rate(run, label, n) for label in run.labels) for n in lengths}
    length = max((n for n in lengths if middle[n] < 0.99), default=lengths[0])
    rows = []
    for label in run.labels:
        row = {"tokens": str(length), "scheme": label}
        for code, language in LANGUAGES.items():
            where = {"language": code, "label": label, "length": length}
            for metric, heading in (("tpr@0.05:human", RATE), ("f1:human", "best F1")):
                value = run.value(metric, **where) if code in run.languages else None
                shown = "–" if value is None else f"{value['value']:.3f}".removeprefix("0")
                row[f"{language}, {heading}"] = shown
        rows.append(row)
    return rows


def _strength(run: Run) -> Rows:
    rows = []
    for code in run.languages:
        where = {"language": code, "length": run.experiment["lengths"][-1]}
        kgw, stela = (run.value("bias", label=label, **where) for label in ("kgw", "stela"))
        if kgw and stela:
            ratio = f"{stela['value'] / kgw['value']:.2f}"
            rows.append({"language": LANGUAGES[code], "mean bias of STELA over that of KGW": ratio})
    return rows


def contexts(run: Run, _figures: Path) -> Tables:
    """Z of each variant less that of the first, and what is found."""
    names = {"tpr@p<=0.01": FOUND, SIZE: "size", "bias": "mean bias"}
    length = run.experiment["lengths"][-1]
    first, *others = sorted(run.labels)
    rows, gaps = [], []
    for code in run.languages:
        base = run.scores(code, first, length)
        for label in others:
            other = run.scores(code, label, length)
            if not other:
                continue
            pairs = run.paired(other, base)
            gaps.append(difference(pairs))
            z, z_first = (f"{mean:.2f}" for mean in pairs.means)
            row = {"language": LANGUAGES[code], "tokens": str(length), "scheme": label, "against": first}
            rows.append({**row, "z": z, "z of that": z_first, "difference": str(gaps[-1])})
    return {"": verdicts(rows, gaps), "found": metrics(run, names)}


def judge_of(run: Run) -> str:
    """Name of the model under which perplexity was measured."""
    named = [one for one in run.experiment["metrics"] if isinstance(one, dict)]
    return Path(next((one["model"] for one in named if one["name"] == "quality-perplexity"), "a model")).name


def perplexity(run: Run, figures: Path) -> Tables:
    """Perplexity and diversity next to unmarked text."""
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
        "perplexity:unmarked": "perplexity, unmarked",
        "log-perplexity-difference": "rise of log-perplexity",
        "log-diversity": "log-diversity",
        "log-diversity:unmarked": "log-diversity, unmarked",
        "seq-rep-3": "repeated 3-grams",
        "bias": "mean bias",
    }
    return {"": metrics(run, names)}


def classes(run: Run, _figures: Path) -> Tables:
    """Z by word class."""
    names = {"classes-z": "z"}
    for name in ("content", "function", "other"):
        names |= {f"classes-{name}-share": f"{name}: tokens", f"classes-{name}-part": f"{name}: adds to z"}
        names |= {f"classes-{name}-z": f"{name}: z alone"}
    rows = metrics(run, names)
    codes = {language: code for code, language in LANGUAGES.items()}
    for row in rows:
        where = {"language": codes[row["language"]], "label": row["scheme"], "length": int(row["tokens"])}
        part, whole = (run.value(name, **where) for name in ("classes-content-part", "classes-z"))
        row["content: share of z"] = f"{part['value'] / whole['value']:.0%}" if part and whole else "–"
    return {"": rows}


def attacks(run: Run, figures: Path) -> Tables:
    """What is found after each attack, and the curve of synonyms."""
    length = run.experiment["lengths"][-1]
    attacks_run = list(dict.fromkeys(record["attack"] for record in run.records))
    rows, compared, gaps = [], [], []
    for attack in attacks_run:
        for code in run.languages:
            where = {"language": code, "attack": attack, "length": length}
            row = {"attack": re.sub(r", path=[^,)]*", "", attack), "language": LANGUAGES[code]}
            row["tokens"] = str(length)
            for name, heading in (("tpr@p<=0.01", FOUND), ("f1:human", "best F1"), ("bias", "mean bias")):
                row |= {
                    f"{label}: {heading}": cell(run.value(name, label=label, **where)) for label in run.labels
                }
            if all(row[f"{label}: {FOUND}"] == "–" for label in run.labels):
                continue
            rows.append(row)
            stela, kgw = (run.scores(label=label, **where) for label in ("stela", "kgw"))
            if stela and kgw:
                compared.append(row)
                gaps.append(difference(run.paired(stela, kgw)))
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
        f"{FOUND}, {length} tokens",
    )
    verdicts(compared, gaps)
    return {"": [{**row, "verdict": row.get("verdict", "–")} for row in rows]}


def scaling(run: Run, _figures: Path) -> Tables:
    """The same marks in models of different size."""
    names = {"tpr@p<=0.01": FOUND, SIZE: "size", "auc:human": "AUC", "bias": "mean bias"}
    return {"": metrics(run, names)}


def freedom(run: Run, _figures: Path) -> Tables:
    """Correlations of weights with the model's entropy, for each kind of text that was measured."""
    rows: Rows = []
    for kind, prefix in KINDS.items():
        names = {
            f"{prefix}-{unit}-{entropy}-{way}": f"{unit}s, {entropy} entropy: {way.capitalize()}"
            for unit in ("token", "sentence")
            for entropy in ("shannon", "spike")
            for way in ("spearman", "pearson")
        }
        rows += metrics(run, names, first={"text": kind})
    return {"": rows}


def null(run: Run, _figures: Path) -> Tables:
    """Observed rates of false alarms at nominal p-values."""
    rows: Rows = []
    for kind, told in (("human", "human text"), ("model", "unmarked text of the model")):
        names = {f"null-fpr@{level:g}:{kind}": f"p ≤ {level:g}" for level in LEVELS}
        names |= {f"null-plain-fpr@0.01:{kind}": "plain z at 1 %"}
        names |= {f"null-z-mean:{kind}": "mean z", f"null-z-sd:{kind}": "sd of z"}
        names |= {f"null-z-plain-mean:{kind}": "mean plain z", f"null-z-plain-sd:{kind}": "sd of plain z"}
        rows += metrics(run, names, 4, {"text": told})
    return {"": rows}


LEVELS: Sequence[float] = (0.1, 0.01, 0.001)
"""Levels at which false alarms are counted."""
