"""Sentences on what the runs say, made from the numbers, so that they cannot grow stale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stela_paper.results.intervals import difference, signs
from stela_paper.results.markdown import listed
from stela_paper.results.reading import LANGUAGES, Run

Section = Callable[[Run, Path], str]


def told(section: Section, sentence: Callable[[Run], str]) -> Section:
    """A section with a sentence before it."""
    return lambda run, figures: f"{sentence(run)}\n\n{section(run, figures)}"


def _value(run: Run, metric: str, **where: object) -> float:
    value = run.value(metric, **where)
    return float("nan") if value is None else value["value"]


def perplexity(run: Run) -> str:
    """Which marks cost something that can be seen."""
    seen: list[str] = []
    unseen: list[str] = []
    for code in run.languages:
        for label in run.labels:
            cost = run.value("log-perplexity-difference", language=code, label=label)
            if cost is not None:
                (seen if cost["low"] > 0 else unseen).append(f"{label} ({LANGUAGES[code]})")
    return (
        f"A rise of perplexity whose interval leaves out 0: {listed(seen)}. None that can be told: {listed(unseen)}. "
        f"Intervals are for one scheme each: of {len(seen) + len(unseen)}, {0.05 * (len(seen) + len(unseen)):.1f} leave out 0 by chance. At these "
        "settings strengths differ (see the last column), so this is not a comparison of schemes at equal strength."
    )


def classes(run: Run) -> str:
    """Shares of tokens and of z of content words."""
    parts = []
    for code in run.languages:
        where = {"language": code, "label": "stela"}
        share = _value(run, "classes-content-share", **where)
        part = _value(run, "classes-content-part", **where) / _value(run, "classes-z", **where)
        parts.append(f"{LANGUAGES[code]} {share:.0%} of the tokens and {part:.0%} of z")
    return f"With STELA, content words are {'; '.join(parts)}."


def attacks(run: Run) -> str:
    """Where STELA and KGW differ after an attack."""
    gaps, names = [], []
    for record in run.find(label="stela"):
        where = {"language": record["language"], "length": record["length"], "attack": record["attack"]}
        stela, kgw = (run.scores(label=label, **where) for label in ("stela", "kgw"))
        if not stela or not kgw:
            continue
        gaps.append(difference(run.paired(stela, kgw)))
        names.append(f"{record['attack'].partition(', path')[0]} ({LANGUAGES[record['language']]})")
    told = list(zip(names, signs(gaps), strict=True))
    better, worse = ([name for name, sign in told if sign == wanted] for wanted in (1, -1))
    return (
        f"At equal mean bias, mean z of STELA's texts beats that of KGW's after: {listed(better)}; it is beaten after: "
        f"{listed(worse)} (paired by prompt and key; Holm's correction for all {len(gaps)} comparisons)."
    )


def scaling(run: Run) -> str:
    """What the models find, small to large."""
    parts = []
    for code in run.languages:
        for label in run.labels:
            of = [
                f"{_value(run, 'tpr@p<=0.01', language=code, label=label, model=model):.2f}"
                for model in run.experiment["models"]
            ]
            parts.append(f"{LANGUAGES[code]} {label} {' then '.join(of)}")
    return (
        f"Found at p ≤ 0.01 in {' then '.join(run.experiment['models'])}: {'; '.join(parts)}. Two models of 1.3 and "
        "6.1 M parameters with tokenizers of their own are no law of scaling."
    )


def freedom(run: Run) -> str:
    """Correlations with spike entropy, token by token."""
    parts = []
    for code in run.languages:
        of = [
            f"{label} {_value(run, 'freedom-token-spike-pearson', language=code, label=label):.2f}"
            for label in run.labels
        ]
        parts.append(f"{LANGUAGES[code]}: {', '.join(of)}")
    return (
        "Correlation (Pearson) of the weight with the model's spike entropy on human text, token by token. "
        f"{'. '.join(parts)}. Where lambda's is below 0, grammar's freedom is not the model's: after a tag that many tags "
        "can follow, the next *word* is often certain."
    )


def null(run: Run) -> str:
    """Whether any observed rate lies above the nominal one."""
    above, tests = [], 0
    for record in run.records:
        for kind in ("human", "model"):
            for level in (0.1, 0.01, 0.001):
                value = record["values"].get(f"null-fpr@{level:g}:{kind}")
                if value is None:
                    continue
                tests += 1
                if value["low"] > level:
                    above.append(
                        f"{record['label']} {LANGUAGES[record['language']]} {kind} {record['length']} tokens at {level:g}: "
                        f"{value['value']:.4f}"
                    )
    return (
        f"Of {tests} rates, those whose interval lies above the nominal level: {listed(above)}. Each interval is for "
        f"its rate alone: by chance {0.025 * tests:.0f} of so many lie above. Each text has keys of its own; one fixed key has a "
        "rate of its own ([statistics](statistics.md))."
    )
