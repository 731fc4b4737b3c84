"""The tables of docs/families.md, from a run of the experiment ``families``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence

import numpy as np

from stela_paper.results.markdown import cell, table
from stela_paper.results.reading import LANGUAGES, Run

COST = {
    "log-perplexity-difference": ("log-perplexity, nats a token", 2),
    "distinct-texts": ("distinct of 20", 0),
    "repeated-4-grams": ("repeated 4-grams", 3),
}
"""Metrics, how their columns are headed, and digits."""

LOG_PERPLEXITY, *SAMENESS = (name for name, _ in COST.values())
SHOWN = (50, 200)
SHOWN_IN = ("English",)
MARKS = (
    "gumbel", "synthid", "textgrain", "exp", "unbiased-dip", "kgw mean_bias=2.0", "unigram", "stela", "learned-text",
)  # fmt: skip
"""Lengths, languages and marks on the page; the file has all."""

Row = Mapping[str, str]
"""A scheme in a language: cells by the head of their column."""


def evidence(run: Run, language: str, label: str, length: int) -> str:
    """Mean -log10 p of marked texts with its 95 % interval, by the t-less normal of a mean over texts."""
    scores = run.scores(language, label, length)
    if len(scores) < 2:
        return "–"
    logs = -np.log10([p for _, p in scores.values()])
    half = 1.96 * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return f"{logs.mean():.1f} ± {half:.1f}"


def rows_of(run: Run) -> list[Row]:
    """All cells; what texts cost is measured at the longest length."""
    rows: list[Row] = []
    texts = str(run.experiment["texts"])
    for language in run.languages:
        lengths = sorted({record["length"] for record in run.find(language=language)})
        for label in run.labels:
            if not run.find(language=language, label=label):
                continue
            costs = {
                name: cell(run.value(metric, language=language, label=label, length=lengths[-1]), digits)
                for metric, (name, digits) in COST.items()
            }
            shown = {f"{n} tokens": evidence(run, language, label, n) for n in lengths}
            rows.append({"language": LANGUAGES[language], "scheme": label, "texts": texts, **shown, **costs})
    return rows


def as_csv(rows: Sequence[Row]) -> str:
    """docs/results/families.csv: every cell of every length."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def as_tables(rows: Sequence[Row]) -> str:
    """A table of English: some marks, some lengths, fewer intervals."""
    evidences = [f"{n} tokens" for n in SHOWN]
    parts = [f"{rows[0]['texts']} texts.\n"]
    for language in SHOWN_IN:
        lines = [
            [
                f"`{row['scheme']}`",
                *(row[name] for name in evidences),
                row[LOG_PERPLEXITY],
                *(row[name].split(" [")[0] for name in SAMENESS),
            ]
            for row in rows
            if row["language"] == language and row["scheme"] in MARKS
        ]
        parts.append(
            f"**{language}**\n\n{table(['', *evidences, 'log-perplexity', 'distinct', 'repeated'], lines)}"
        )
    return "\n".join(parts)
