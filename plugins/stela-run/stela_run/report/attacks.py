"""Figures of what attacks leave: curves where one grows stronger, and points for each of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stela_run.plan.plan import NO_ATTACK
from stela_run.report.clean import clean, slug
from stela_run.report.draw import SIZE, Panel, names_left, panel
from stela_run.report.layout import View
from stela_run.report.power import line, rate, rate_label
from stela_run.report.rates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.16
"""Inches that a scheme adds to the height of each attack's row."""


def attack_panels(view: View) -> list[Panel]:
    """Rate against the one numeric parameter of an attack that varies, at the longest length."""
    label = rate_label(view)
    parameters = {
        record["attack"]: record["attack_parameters"] for record in view.run.records if "error" not in record
    }
    panels = []
    for model, language, length, places in view.longest():
        for name, fixed, varied, steps in families(parameters):
            curves: dict[str, list[tuple[float, Estimate]]] = {}
            for place in places:
                for x, attack in steps:
                    at = place._replace(attack=attack)
                    share = rate(view, at, label) if at in view.run.by_place else None
                    if share is not None:
                        curves.setdefault(place.label, []).append((x, share))
            if not any(len(row) > 1 for row in curves.values()):
                continue
            before = {place.label: share for place in places if (share := rate(view, place, label))}

            def paint(axes: Axes, curves: Any = curves, before: Any = before, varied: str = varied) -> None:
                for scheme, row in curves.items():
                    line(axes, view, scheme, [x for x, _ in row], [y for _, y in row])
                    if scheme in before:
                        colour = view.styles[scheme]["color"]
                        axes.axhline(before[scheme].value, color=colour, linewidth=0.9, linestyle=(0, (1, 3)))
                axes.set(xlabel=clean(varied), ylabel=label, ylim=(-0.03, 1.03))

            title = f"{name}{f' ({fixed})' if fixed else ''}: {view.name(model, language)}, {length} tokens"
            about = "; ".join(
                f"{scheme}: {', '.join(f'{y.value:.2f} at {x:g}' for x, y in row)}"
                for scheme, row in curves.items()
            )
            file = f"attack-{slug(name, fixed, model, language)}"
            strength = view.strength(model, language, length)
            panels.append(panel(file, title, f"{label} against {varied}. {about}", paint, strength))
    return panels


def families(parameters: dict[str, dict[str, Any]]) -> list[tuple[str, str, str, list[tuple[float, str]]]]:
    """Attacks that differ only in one number.

    Args:
        parameters: of each attack, by its label.

    Returns:
        name, the parameters they share as text, the one that varies, and its values with the attacks'
        labels, ascending.
    """
    by_name: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
    for label, own in parameters.items():
        for varied, value in own.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                fixed = ", ".join(f"{key}={other}" for key, other in own.items() if key != varied)
                by_name.setdefault((label.partition("(")[0], fixed, varied), []).append((float(value), label))
    return [(*key, sorted(steps)) for key, steps in by_name.items() if len({x for x, _ in steps}) > 1]


def single_panels(view: View) -> list[Panel]:
    """Rate before and after each attack that is not a step of a curve, at the longest length."""
    label = rate_label(view)
    parameters = {
        record["attack"]: record["attack_parameters"] for record in view.run.records if "error" not in record
    }
    curved = {attack for *_, steps in families(parameters) for _, attack in steps}
    single = [attack for attack in parameters if attack not in curved and attack != view.run.untouched]
    panels = []
    for model, language, length, places in view.longest():
        attacks = [view.run.untouched, *single]
        rates = {
            place.label: {
                attack: share
                for attack in attacks
                if (at := place._replace(attack=attack)) in view.run.by_place
                and (share := rate(view, at, label)) is not None
            }
            for place in places
        }
        # From the top down, as in the tables; an attack that failed on all schemes has no row.
        shown = [attack for attack in attacks if any(attack in own for own in rates.values())]
        if len(shown) < 2:
            continue

        def paint(axes: Axes, rates: Any = rates, shown: Any = shown) -> None:
            for index, (scheme, own) in enumerate(rates.items()):
                # One above the other, as intervals of schemes at one rate would hide each other.
                shift = 0.7 * ((len(rates) - 1) / 2 - index) / len(rates)
                rows = [len(shown) - 1 - shown.index(attack) + shift for attack in own]
                _points(axes, view, scheme, list(own.values()), rows)
            names_left(axes, [named(attack) for attack in reversed(shown)])
            axes.grid(visible=False, axis="y")
            axes.set(xlabel=label, xlim=(-0.03, 1.03), ylim=(-0.5, len(shown) - 0.5))

        about = "; ".join(
            f"{scheme}: {', '.join(f'{share.value:.2f} {named(attack)}' for attack, share in own.items())}"
            for scheme, own in rates.items()
        )
        title = f"{view.name(model, language)}, {length} tokens"
        strength = view.strength(model, language, length)
        size = (SIZE[0], 1.1 + len(shown) * max(0.5, ROW * len(rates)))
        name = f"attacks-{slug(model, language)}"
        panels.append(panel(name, title, f"{label}. {about}", paint, strength, size))
    return panels


def named(attack: str) -> str:
    """The name of an attack in figures."""
    return "no attack" if attack == NO_ATTACK else attack


def _points(axes: Axes, view: View, scheme: str, shares: list[Estimate], rows: list[float]) -> None:
    values = [share.value for share in shares]
    ends = [
        [max(0.0, share.value - (share.value if share.low is None else share.low)) for share in shares],
        [max(0.0, (share.value if share.high is None else share.high) - share.value) for share in shares],
    ]
    style = {**view.styles[scheme], "linestyle": "none"}
    axes.errorbar(values, rows, xerr=ends, label=clean(scheme), elinewidth=1, capsize=2.5, **style)
