"""Sentences, tables and captions that sections of a page share, made of kept rows, so that they cannot grow stale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from stela_paper.results.grids import Row, Rows, languages, value
from stela_paper.results.intervals import ALIKE, LESS, MORE
from stela_paper.results.kept import Section
from stela_paper.results.markdown import listed, table
from stela_paper.results.reading import LANGUAGES


def places(rows: Rows) -> str:
    """``Chinese at 200 tokens and Korean at 100 and 200 tokens``, ``Chinese and Korean at 200 tokens``."""
    where: dict[str, list[str]] = {}
    for language, of in _grouped(rows, "tokens").items():
        where.setdefault(listed(of), []).append(language)
    return listed([f"{listed(of)} at {lengths} tokens" for lengths, of in where.items()])


def after(rows: Rows) -> str:
    """``Korean (no attack, edits-delete(share=0.1))``."""
    return listed([f"{language} ({', '.join(of)})" for language, of in _grouped(rows, "attack").items()])


def _grouped(rows: Rows, column: str) -> dict[str, list[str]]:
    by_language: dict[str, list[str]] = {}
    for row in rows:
        by_language.setdefault(row["language"], []).append(row[column])
    return by_language


def compared(first: str, second: str, rows: Rows) -> str:
    """Who beats whom where, by the rows' verdicts."""
    ahead, behind = ([row for row in rows if row["verdict"] == wanted] for wanted in (MORE, LESS))
    only = not (ahead and behind)
    told = [f"{first} beats {second} in {_where(ahead, rows, only)}"] if ahead else []
    told += [f"{second} beats {first} in {_where(behind, rows, only)}"] if behind else []
    if not told:
        return f"There is no measurable difference between {first} and {second}."
    if any(row["verdict"] == ALIKE for row in rows):
        told.append("elsewhere there is no measurable difference")
    return f"{'; '.join(told)}."


def _where(measured: Rows, rows: Rows, only: bool) -> str:
    """The places; ``Korean only, at ...`` where it is one language of several."""
    told = places(measured)
    one = len(languages(measured)) == 1 < len(languages(rows))
    return told.replace(" at ", " only, at ", 1) if one and only else told


def by_tokens(rows: Rows, column: str) -> str:
    """A row for each language, a column for the first and the last length, and where there is a difference."""
    every = list(dict.fromkeys(row["tokens"] for row in rows))
    told = {every[0], every[-1], *(row["tokens"] for row in rows if row["verdict"] in (MORE, LESS))}
    lengths = [length for length in every if length in told]
    cells = {(row["language"], row["tokens"]): bold(row[column], row) for row in rows}
    body = [[one, *(cells.get((one, length), "–") for length in lengths)] for one in languages(rows)]
    return table(("", *(f"{length} tokens" for length in lengths)), body)


def bold(text: str, row: Row) -> str:
    """The text, bold where there is a measurable difference."""
    return f"**{text}**" if row["verdict"] in (MORE, LESS) else text


def each(rows: Iterable[Row], column: str) -> str:
    """``0.67 in English, 0.63 in Chinese and 0.83 in Korean``."""
    return listed([f"{value(row[column])} in {row['language']}" for row in rows])


def caption(section: Section, settings: str, *tables: str) -> str:
    """What was run, where all figures are, and by which command they are made."""
    about = section.about
    some = "" if len(about.languages) == len(LANGUAGES) else f" in {listed(about.languages)} only"
    took = "" if about.minutes is None else f" ({_minutes(about.minutes)})"
    models = listed([f"`{model}`" for model in about.models])
    parts = [
        f"{settings}; {models}, {about.prompts} prompts{some}",
        f"{files(section, *(tables or ('',)))}; `stela run docs/experiments/{section.name}.toml`{took}",
    ]
    if about.failed:
        parts.append(f"Cells that failed: {listed(about.failed)}")
    return f"*{'. '.join(parts)}.*\n"


def _minutes(count: int) -> str:
    return {0: "less than a minute", 1: "1 minute"}.get(count, f"{count} minutes")


def files(section: Section, *tables: str) -> str:
    """Links to tables that the section has."""
    paths = [section.file(one) for one in tables if one in section.tables]
    return ", ".join(f"[{path.rpartition('/')[2]}]({path})" for path in paths)


def ends(text: str) -> tuple[float, float]:
    """The ends of the interval in brackets."""
    low, high = text.partition("[")[2].rstrip("]").split(", ")
    return float(low), float(high)


def leading(values: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of the largest value and of those whose interval reaches into its own, the largest first.

    Args:
        values: by name: estimates with an interval in brackets, one a language. Their means are compared, with
            the means of the ends: an interval at least as wide as that of the mean. One without an interval
            could be anything.
    """
    known = {name: [one for one in of if "[" in one] for name, of in values.items()}
    means = {name: fmean(float(value(one)) for one in of) for name, of in known.items() if of}
    if not means:
        return list(values)
    best = max(means, key=lambda name: means[name])
    least = fmean(ends(one)[0] for one in known[best])
    near = [name for name, of in known.items() if not of or fmean(ends(one)[1] for one in of) >= least]
    return [best, *(name for name in near if name != best)]


def corrected(rows: Rows) -> str:
    """A caption's words on the correction."""
    count = sum(row["verdict"] != "–" for row in rows)
    return f"; Holm over {count}" if count else ""
