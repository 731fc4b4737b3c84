"""Evidence against cost: each scheme a point, and the frontier of those that none beats in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stela_run.cells.results import EXPECTED_Z
from stela_run.report.clean import clean, slug
from stela_run.report.draw import SOFT, Panel, panel
from stela_run.report.layout import View
from stela_run.report.rates import Estimate
from stela_run.report.read import Place
from stela_run.report.values import BIAS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COSTS = {"surprisal": "surprisal, nats a token", BIAS: "mean bias, nats"}
"""What a scheme costs, the first that was measured of two schemes, and its axis."""


def frontier_panels(view: View) -> list[Panel]:
    """Mean evidence against cost at the longest length; none where fewer than two schemes have both."""
    panels = []
    for model, language, length, places in view.longest():
        cost, points = _points(view, places)
        if len(points) < 2:
            continue
        best = frontier({label: (paid.value, evidence.value) for label, (paid, evidence) in points.items()})

        def paint(axes: Axes, points: Any = points, best: Sequence[str] = best, cost: str = cost) -> None:
            along = [points[label] for label in best]
            axes.step(
                [paid.value for paid, _ in along],
                [evidence.value for _, evidence in along],
                where="post",
                color=SOFT,
                linewidth=1,
                linestyle=(0, (2, 2)),
            )
            for label, (paid, evidence) in points.items():
                style = {**view.styles[label], "linestyle": "none", "markersize": 7}
                axes.errorbar(
                    [paid.value],
                    [evidence.value],
                    xerr=_ends(paid),
                    yerr=_ends(evidence),
                    label=clean(label),
                    elinewidth=1,
                    **style,
                )
            axes.set(xlabel=COSTS[cost], ylabel="mean expected z" if view.run.expected else "mean −log10 p")
            low, high = axes.get_ylim()
            axes.set_ylim(min(0.0, low), high + 0.05 * abs(high))
            axes.locator_params(axis="x", nbins=5)  # costs that hardly differ have long numbers

        about = "; ".join(
            f"{label}: {evidence.value:.1f} for {paid.value:z.3f}"
            + (", on the frontier" if label in best else "")
            for label, (paid, evidence) in points.items()
        )
        title = f"{view.name(model, language)}, {length} tokens"
        strength = view.strength(model, language, length)
        panels.append(panel(f"frontier-{slug(model, language)}", title, about, paint, strength))
    return panels


def frontier(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Labels of the points (cost, evidence) that none beats in both, by rising cost."""
    best: list[str] = []
    for label in sorted(points, key=lambda label: (points[label][0], -points[label][1])):
        if not best or points[label][1] > points[best[-1]][1]:
            best.append(label)
    return best


def _points(view: View, places: Sequence[Place]) -> tuple[str, dict[str, tuple[Estimate, Estimate]]]:
    points: dict[str, tuple[Estimate, Estimate]] = {}
    for cost in COSTS:
        points = {
            place.label: (paid, evidence)
            for place in places
            if (paid := view.values.cost(place, cost)) and (evidence := _evidence(view, place))
        }
        if len(points) > 1:
            return cost, points
    return cost, points


def _evidence(view: View, place: Place) -> Estimate | None:
    expected = view.values.recorded(place, EXPECTED_Z)
    return view.values.evidence(place) if expected is None else expected


def _ends(estimate: Estimate) -> list[list[float]]:
    low, high = (estimate.value if end is None else end for end in (estimate.low, estimate.high))
    return [[max(0.0, estimate.value - low)], [max(0.0, high - estimate.value)]]
