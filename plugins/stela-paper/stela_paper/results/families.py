"""The tables of docs/families.md, from a run of the experiment ``families``."""

from __future__ import annotations

import math

import numpy as np

from stela_paper.results.markdown import cell, table
from stela_paper.results.reading import LANGUAGES, Run

COST = {
    "log-perplexity-difference": ("log-perplexity, nats a token", 2),
    "distinct-texts": ("distinct of 20", 0),
    "repeated-4-grams": ("repeated 4-grams", 3),
}
"""Metrics, how their columns are headed, and digits."""


def evidence(run: Run, language: str, label: str, length: int) -> str:
    """Mean -log10 p of marked texts with its 95 % interval, by the t-less normal of a mean over texts."""
    scores = run.scores(language, label, length)
    if len(scores) < 2:
        return "–"
    logs = -np.log10([p for _, p in scores.values()])
    half = 1.96 * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return f"{logs.mean():.1f} ± {half:.1f}"


def language_table(run: Run, language: str) -> str:
    """One row a scheme; what texts cost is measured at the longest length."""
    lengths = sorted({record["length"] for record in run.find(language=language)})
    header = ["", *(f"{length} tokens" for length in lengths), *(name for name, _ in COST.values())]
    rows = []
    for label in run.labels:
        if not run.find(language=language, label=label):
            continue
        values = [
            cell(run.value(metric, language=language, label=label, length=lengths[-1]), digits)
            for metric, (_, digits) in COST.items()
        ]
        rows.append([f"`{label}`", *(evidence(run, language, label, n) for n in lengths), *values])
    return table(header, rows)


def tables(run: Run) -> str:
    """All languages, and how many texts there are of each."""
    texts = max(record["texts"] for record in run.records)
    parts = [f"{texts} texts a language, 20 of each of a few prompts for the last two columns.\n"]
    parts += [
        f"**{LANGUAGES[language]}**\n\n{language_table(run, language)}"
        for language in run.languages
        if run.find(language=language)
    ]
    return "\n".join(parts)
