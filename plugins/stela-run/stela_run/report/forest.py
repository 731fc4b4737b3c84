"""The forest plot: paired differences with their intervals, one row for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stela_run.report.answer import Answer
from stela_run.report.clean import slug
from stela_run.report.draw import INK, SERIES, SIZE, SOFT, Panel, names_left, panel
from stela_run.report.layout import language_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW, FRAME = 0.42, 1.3
"""Inches that each row adds to the height of a panel, and those of the rest."""
MOST = 24
"""Rows of a panel; further answers follow in the next one."""


def forest_panels(rows: Sequence[Answer]) -> list[Panel]:
    """A panel for each model and compared quantity, as z and -log10 p have no common axis."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for one in rows:
        groups.setdefault((one.model, one.quantity), []).append(one)
    panels = []
    for (model, quantity), of in groups.items():
        for start in range(0, len(of), MOST):
            name = f"forest-{slug(model, 'z' if quantity == 'z' else 'p', start)}"
            panels.append(_panel(name, model, quantity, of[start : start + MOST]))
    return panels


def _panel(name: str, model: str, quantity: str, rows: Sequence[Answer]) -> Panel:
    def paint(axes: Axes) -> None:
        axes.axvline(0, color=SOFT, linewidth=1)
        for number, one in enumerate(reversed(rows)):
            mean, low, high = one.difference[:3]
            colour = SERIES[0] if one.decided else INK
            if low is not None and high is not None:
                axes.plot([low, high], [number, number], color=colour)
            fill = colour if one.equal else "none"
            axes.plot([mean], [number], color=colour, marker="o", markersize=6, markerfacecolor=fill)
        names_left(axes, [f"{_of_several(rows, one)}{one.one} − {one.other}" for one in reversed(rows)])
        for label, colour, fill in _kinds(rows):
            axes.plot([], [], color=colour, marker="o", markerfacecolor=fill, label=label)
        axes.set(xlabel=f"difference of {quantity}", ylim=(-0.6, len(rows) - 0.4))

    about = " ".join(one.text for one in rows)
    size = (SIZE[0], FRAME + ROW * max(2, len(rows)))
    return panel(name, f"{model}: differences, 95 %", about, paint, None, size)


def _of_several(rows: Sequence[Answer], one: Answer) -> str:
    """The language of a row, where there are several."""
    return f"{language_name(one.language)}: " if len({row.language for row in rows}) > 1 else ""


def _kinds(rows: Sequence[Answer]) -> list[tuple[str, str, str]]:
    """Label, colour and filling of each kind of row that there is."""
    kinds = []
    if any(one.decided for one in rows):
        kinds.append(("decided", SERIES[0], SERIES[0]))
    if not all(one.decided for one in rows):
        kinds.append(("undecided", INK, INK))
    if any(not one.equal for one in rows):
        kinds.append(("hollow: not at equal strength", SOFT, "none"))
    return kinds
