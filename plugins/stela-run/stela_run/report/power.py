"""Figures of detection rates: power against length, and ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stela_run.report.clean import clean, slug
from stela_run.report.draw import SOFT, Panel, panel
from stela_run.report.layout import View
from stela_run.report.rates import Estimate, roc_points
from stela_run.report.read import Place

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HUMAN_RATE, NOMINAL_RATE = "TPR at 1 % FPR (human text)", "share found at p ≤ 0.01"


def rate_label(view: View) -> str:
    """What the rates of a run's figures are: nominal ones where negatives are too few for 1 %."""
    told = view.run.places and all(view.values.tpr(place) is not None for place in view.run.places)
    return HUMAN_RATE if told else NOMINAL_RATE


def rate(view: View, place: Place, label: str) -> Estimate | None:
    """The rate that ``label`` names."""
    return view.values.tpr(place) if label == HUMAN_RATE else view.values.nominal(place)


def power_panels(view: View) -> list[Panel]:
    """Rate against length, one panel for each model and language; none where there is but one length."""
    label = rate_label(view)
    panels = []
    for model, language, schemes in view.grids():
        lengths = sorted({place.length for places in schemes.values() for place in places})
        if len(lengths) < 2:
            continue
        points = {
            scheme: [(place.length, at_length) for place in places if (at_length := rate(view, place, label))]
            for scheme, places in schemes.items()
        }

        def paint(axes: Axes, points: Any = points, lengths: Any = lengths) -> None:
            axes.set_xscale("log")
            for index, (scheme, row) in enumerate(points.items()):
                # Side by side, as intervals of schemes at one length would hide each other.
                shift = 1.03 ** (index - (len(points) - 1) / 2)
                line(axes, view, scheme, [x * shift for x, _ in row], [y for _, y in row])
            axes.set_xticks(lengths, [str(length) for length in lengths])
            axes.set_xticks([], minor=True)
            axes.set(xlabel="tokens", ylabel=label, ylim=(-0.03, 1.03))

        about = "; ".join(
            f"{scheme}: {', '.join(f'{at_length.value:.2f} at {x}' for x, at_length in row)}"
            for scheme, row in points.items()
        )
        title = view.name(model, language)
        strength = view.strength(model, language, lengths[-1])
        panels.append(panel(f"power-{slug(model, language)}", title, f"{label}. {about}", paint, strength))
    return panels


def roc_panels(view: View) -> list[Panel]:
    """ROC curves on a logarithmic false positive rate, human text as negatives."""
    panels = []
    for model, language, schemes in view.grids():
        lengths = sorted({place.length for places in schemes.values() for place in places})
        # The shortest, middle and longest.
        for length in dict.fromkeys([lengths[0], lengths[len(lengths) // 2], lengths[-1]]):
            places = [p for row in schemes.values() for p in row if p.length == length]
            places = [p for p in places if len(view.run.of(p, "human").z) and len(view.run.of(p, "marked").z)]
            if not places:
                continue
            floor = 0.5 / max(len(view.run.of(place, "human").z) for place in places)

            def paint(axes: Axes, places: Any = places, floor: float = floor) -> None:
                chance = np.geomspace(floor, 1, 50)
                axes.plot(chance, chance, color=SOFT, linewidth=1, linestyle=(0, (2, 2)))
                for place in places:
                    fpr, tpr = roc_points(view.run.of(place, "marked"), view.run.of(place, "human"))
                    style = {**view.styles[place.label], "marker": None}
                    axes.step(np.maximum(fpr, floor), tpr, where="post", label=clean(place.label), **style)
                axes.set_xscale("log")
                # By default they are set as formulas.
                axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
                axes.set(
                    xlim=(floor, 1),
                    ylim=(-0.03, 1.03),
                    xlabel="false positive rate (human text)",
                    ylabel="true positive rate",
                )

            title = f"{view.name(model, language)}, {length} tokens"
            about = "; ".join(
                f"{place.label}: AUC {area.value:.3f}" for place in places if (area := view.values.auc(place))
            )
            strength = view.strength(model, language, length)
            panels.append(panel(f"roc-{slug(model, language, length)}", title, about, paint, strength))
    return panels


def line(axes: Axes, view: View, scheme: str, x: Sequence[float], y: Sequence[Estimate]) -> None:
    """Draw a scheme's estimates with their intervals."""
    values = [estimate.value for estimate in y]
    ends = [
        [max(0.0, estimate.value - estimate.low) if estimate.low is not None else 0.0 for estimate in y],
        [max(0.0, estimate.high - estimate.value) if estimate.high is not None else 0.0 for estimate in y],
    ]
    axes.errorbar(x, values, yerr=ends, label=clean(scheme), elinewidth=1, capsize=2.5, **view.styles[scheme])
