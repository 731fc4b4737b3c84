"""A heat map of what survives each edit: the share still found, schemes by attacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stela_run.report.attacks import named
from stela_run.report.clean import clean, slug
from stela_run.report.draw import LABELS, SERIES, SIZE, TICK, Panel, names_left, panel
from stela_run.report.layout import View
from stela_run.report.power import rate, rate_label
from stela_run.report.wrapped import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW, LINE = 2.9, 0.34, 0.16
"""Inches of all columns, of a row, and of each line of its name."""
MOST_LINES = 3
"""Lines of a scheme's name under its column; where one has more, all have numbers."""
STRONGEST = 0.65
"""Opacity of a share of 1: the number is legible on it."""


def survival_panels(view: View) -> list[Panel]:
    """One for each model and language with an attack, at the longest length."""
    label = rate_label(view)
    panels = []
    for model, language, length, places in view.longest():
        attacks = dict.fromkeys(
            place.attack
            for place in view.run.places
            if place[:2] == (model, language) and place.length == length
        )
        rows = {
            attack: {
                place.label: share.value
                for place in places
                if (at := place._replace(attack=attack)) in view.run.by_place
                and (share := rate(view, at, label)) is not None
            }
            for attack in attacks
        }
        rows = {attack: of for attack, of in rows.items() if of}
        if len(rows) < 2:
            continue
        schemes = [place.label for place in places]

        def paint(axes: Axes, rows: Any = rows, schemes: Any = schemes) -> None:
            for y, of in enumerate(reversed([*rows.values()])):
                for x, scheme in enumerate(schemes):
                    if scheme not in of:
                        continue
                    corners = ([x - 0.5, x + 0.5, x + 0.5, x - 0.5], [y - 0.5, y - 0.5, y + 0.5, y + 0.5])
                    axes.fill(*corners, color=SERIES[0], alpha=STRONGEST * of[scheme], linewidth=0)
                    axes.text(x, y, f"{of[scheme]:.2f}", ha="center", va="center", fontsize=TICK)
            names_left(axes, [named(attack) for attack in reversed(rows)])
            axes.set_xticks(range(len(schemes)), _titles(axes, schemes))
            axes.grid(visible=False)
            axes.tick_params(length=0)
            axes.spines[["left", "bottom"]].set_visible(False)
            axes.set(xlim=(-0.5, len(schemes) - 0.5), ylim=(-0.5, len(rows) - 0.5))

        about = "; ".join(
            f"{named(attack)}: {', '.join(f'{scheme} {share:.2f}' for scheme, share in of.items())}"
            for attack, of in rows.items()
        )
        title = f"{label}: {view.name(model, language)}, {length} tokens"
        lines = [wrapped(clean(named(attack)), LABELS, TICK).count("\n") + 1 for attack in rows]
        size = (SIZE[0], 1.1 + sum(max(ROW, LINE * count) for count in lines))
        strength = view.strength(model, language, length)
        panels.append(panel(f"survival-{slug(model, language)}", title, about, paint, strength, size))
    return panels


def _titles(axes: Axes, schemes: Sequence[str]) -> list[str]:
    """What stands under the columns: names that fit, or numbers that a legend explains."""
    titles = [wrapped(clean(name), WIDTH / len(schemes), TICK) for name in schemes]
    if max(title.count("\n") for title in titles) < MOST_LINES:
        return titles
    numbers = [str(number) for number in range(1, len(schemes) + 1)]
    for number, name in zip(numbers, schemes, strict=True):
        axes.plot([], [], linestyle="none", label=f"{number}: {clean(name)}")
    return numbers
