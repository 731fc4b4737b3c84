"""What marks leave in each language, from runs of ``languages``.

A row is a mark in a language at a length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stela_paper.results.intervals import estimate
from stela_paper.results.markdown import table
from stela_paper.results.reading import LANGUAGES, Run
from stela_paper.results.which import LEVELS, Row, as_columns, found_in

NAMES = LANGUAGES | {
    "ar": "Arabic",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "id": "Indonesian",
    "ja": "Japanese",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "vi": "Vietnamese",
}
"""Names of all languages that have a tagger, by code."""

MARKS = PLAIN, GRAMMAR, _ = ("kgw", "stela", "synthid")
COMPARED = (PLAIN, GRAMMAR)
"""Marks whose shares the table shows; of the other nearly every text is found."""
SHORT, LONG = ("25", "50"), "100"
"""Tokens that the table shows: what is found of a few, and the evidence of many."""

GAIN, LOST = "z over kgw's", "retokenised"
LEVEL = LEVELS[0]

Cells = dict[tuple[str, str, str], Row]
"""Rows by language, mark and tokens."""


def rows_of(runs: Iterable[Run]) -> list[Row]:
    """Evidence, false alarms on human text, and the gain over KGW, by language, mark and length.

    The gain is the mean z over that of ``kgw`` less 1, with its 95 % bootstrap interval over prompts. What is
    lost when texts are tokenised again is empty where the run has no ``fidelity-retokenisation``.
    """
    rows: list[Row] = []
    for run in runs:
        for record in run.records:
            where = {name: record[name] for name in ("language", "label", "length", "model")}
            scores = run.scores(**where)
            plain = run.scores(**{**where, "label": PLAIN})
            if not scores or not plain:
                continue
            gain = estimate(run.paired(scores, plain), lambda means: means[0] / means[1] - 1)
            human = run.human(**where)
            rows.append(
                {
                    "language": record["language"],
                    "mark": record["label"],
                    "tokens": str(record["length"]),
                    **found_in(scores),
                    "tests of human text": str(len(human)),
                    **{f"false at {level:g}": str(int((human <= level).sum())) for level in (1e-2, LEVEL)},
                    **as_columns(GAIN, gain._asdict(), 4),
                    **as_columns(LOST, run.value(LOST, **where), 4),
                }
            )
    return rows


def as_table(rows: Sequence[Row]) -> str:
    """A row is a language, by its name. Gains are only in the file: these texts are too few to compare by."""
    cells: Cells = {(row["language"], row["mark"], row["tokens"]): row for row in rows}
    codes = sorted({row["language"] for row in rows}, key=NAMES.__getitem__)
    lost = any(row[LOST] for row in rows)
    lines = []
    for code in codes:
        of = {mark: [cells.get((code, mark, tokens)) for tokens in (*SHORT, LONG)] for mark in MARKS}
        evidence = [_evidence(of[mark][-1]) for mark in MARKS]
        shares = [
            "; ".join(row[f"found at {LEVEL:g}"] if row else "–" for row in of[mark][:-1])
            for mark in COMPARED
        ]
        last = of[GRAMMAR][-1]
        again = [_percent(last, LOST) if last and last[LOST] else "–"] if lost else []
        lines.append([NAMES[code], *evidence, *shares, *again])
    heading = ["language", *(f"`{mark}`" for mark in MARKS)]
    heading += [*(f"`{mark}`, found" for mark in COMPARED), *(["ids lost"] if lost else [])]
    return "\n".join([table(heading, lines), *_alarms(rows)])


def _evidence(row: Row | None) -> str:
    return f"{row['evidence']} ± {row['half of its interval']}" if row else "–"


def _percent(row: Row, name: str) -> str:
    """A share and its interval, in per cent."""
    value, low, high = (100 * float(row[f"{name}{end}"]) for end in ("", ", low", ", high"))
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]"


def _alarms(rows: Sequence[Row]) -> list[str]:
    """False alarms in human text at the longest length, over all languages."""
    long = [row for row in rows if row["tokens"] == LONG]
    tests = sum(int(row["tests of human text"]) for row in long)
    if not tests:
        return []
    counts = [sum(int(row[f"false at {level:g}"]) for row in long) for level in (1e-2, LEVEL)]
    expected = [tests * level for level in (1e-2, LEVEL)]
    return [
        f"False alarms in {tests:,} tests of {LONG} human tokens: {counts[0]:,} at p ≤ 0.01 "
        f"({expected[0]:.0f} expected), {counts[1]} at p ≤ 0.001 ({expected[1]:.0f} expected).\n"
    ]
