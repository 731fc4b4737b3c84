"""The page: what the template is given, and the template rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stela_run.report.answer import Answer
from stela_run.report.draw import Panel
from stela_run.report.environment import page_environment
from stela_run.report.heat import heats
from stela_run.report.layout import View
from stela_run.report.pairs import attacked_differences, differences
from stela_run.report.read import Place
from stela_run.report.rerun import failures_of, metric_errors_of, rerun_of, times_of
from stela_run.report.strength import CHOOSING, NO_COMMON, Strength
from stela_run.report.table import Row, columns_of, shown

FOREST = "forest"
"""Id of the section whose figures stand with the answer."""


@dataclass(frozen=True)
class Section:
    """Figures of one kind."""

    id: str
    title: str
    text: str
    """How to read them."""
    panels: list[Panel]


@dataclass(frozen=True)
class Comparison:
    """Rows of one language and length, with their strength."""

    name: str
    strength: Strength
    rows: list[Row]


@dataclass(frozen=True)
class Table:
    """Comparisons of one model and attack."""

    caption: str
    untouched: bool
    groups: list[Comparison]


def render(
    view: View,
    rows: Sequence[Row],
    sections: Sequence[Section],
    said: Sequence[Answer] = (),
    attacked: Sequence[Answer] = (),
) -> str:
    """The HTML of the page.

    Args:
        view: of the run.
        rows: of the summary table.
        sections: the figures; those without a panel are left out.
        said: the sentences that the page opens with.
        attacked: those of attacked texts.

    Raises:
        MissingLibraryError: jinja2 is not installed.
    """
    environment = page_environment("stela_run.report")
    environment.globals.update(shown=shown, no_common=NO_COMMON)
    environment.filters.update(code=_code)
    run = view.run
    return environment.get_template("report.html").render(
        experiment=run.experiment,
        untouched=run.untouched,
        sample=run.sample,
        answers=said,
        attacked_answers=attacked,
        differences=differences(view),
        attacked_differences=attacked_differences(view),
        choosing=_choosing(view),
        warning=CHOOSING,
        columns=columns_of(rows),
        tables=list(_tables(view, rows)),
        forest=[one for section in sections if section.id == FOREST for one in section.panels],
        sections=[section for section in sections if section.panels and section.id != FOREST],
        heats=heats(run),
        measured=list(_measured(view)),
        failures=failures_of(run),
        metric_errors=metric_errors_of(run),
        times=times_of(run),
        rerun=rerun_of(run),
    )


def _choosing(view: View) -> list[str]:
    """Schemes that choose tokens, where any is compared with another scheme."""
    compared = [one for one in view.strengths if one.choosing and len(one.biases) > 1]
    return [label for label in view.styles if any(label in one.choosing for one in compared)]


def _tables(view: View, rows: Sequence[Row]) -> Iterator[Table]:
    by_attack: dict[tuple[str, str], dict[tuple[str, int], list[Row]]] = {}
    for row in rows:
        groups = by_attack.setdefault((row.place.model, row.place.attack), {})
        groups.setdefault((row.place.language, row.place.length), []).append(row)
    for (model, attack), groups in by_attack.items():
        untouched = attack == view.run.untouched
        caption = f"{model}, {'no attack' if attack == 'none' else f'attack {attack}'}"
        comparisons = [
            Comparison(f"{language}, {length} tokens", view.strength(model, language, length), members)
            for (language, length), members in groups.items()
        ]
        yield Table(caption, untouched, comparisons)


def _measured(view: View) -> Iterator[tuple[str, list[str], list[tuple[str, list[Any]]]]]:
    """All values of metrics at the longest length: caption, schemes, and a row for each value."""
    for model, language, length, places in view.longest():
        names = dict.fromkeys(name for place in places for name in _names(view, place))
        rows = [(name, [view.values.recorded(place, name) for place in places]) for name in names]
        if rows:
            yield f"{model}, {language}, {length} tokens", [place.label for place in places], rows


def _names(view: View, place: Place) -> Iterator[str]:
    for record in view.run.by_place[place]:
        yield from record["values"]


def _code(language: str) -> str:
    """The language as an HTML ``lang`` attribute may hold it; empty, unknown, where it is not code."""
    return language if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", language) else ""
