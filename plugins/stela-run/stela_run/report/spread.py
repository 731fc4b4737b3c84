"""Figures of distributions: z of marked, unmarked and human text, and perplexity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stela_run.report.clean import slug
from stela_run.report.draw import INK, SIZE, SOFT, Panel, names_left, panel
from stela_run.report.layout import View
from stela_run.report.rates import Estimate
from stela_run.statistics.bootstrap import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = {"human": "human text", "model": "unmarked model text", "marked": "marked text"}
BINS = 24
ROW = 0.62
"""Inches that each scheme adds to the height of a panel."""


def densities(z: dict[str, Floats]) -> tuple[Floats, dict[str, Floats]]:
    """Edges (bins + 1,) and, for each kind, the share of texts in each bin (bins,)."""
    known = {kind: values[np.isfinite(values)] for kind, values in z.items()}
    known = {kind: values for kind, values in known.items() if len(values)}
    if not known:
        return np.linspace(0, 1, BINS + 1), {}
    everything = np.concatenate(list(known.values()))
    low, high = float(everything.min()), float(everything.max())
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    return edges, {kind: np.histogram(values, edges)[0] / len(values) for kind, values in known.items()}


def z_panels(view: View) -> list[Panel]:
    """Histograms of z at the longest length, one row for each scheme."""
    panels = []
    for model, language, length, places in view.longest():
        rows = []
        for place in places:
            edges, shares = densities({kind: view.run.of(place, kind).z for kind in KINDS})
            if shares:
                rows.append((place.label, edges, shares))
        if not rows:
            continue

        def paint(axes: Axes, rows: Any = rows) -> None:
            for number, (label, edges, shares) in enumerate(rows):
                base = len(rows) - 1 - number
                colours = {"human": INK, "model": SOFT, "marked": view.styles[label]["color"]}
                for kind, share in shares.items():
                    heights = base + 0.85 * share / max(other.max() for other in shares.values())
                    dashed = (0, (2, 1.5)) if kind == "human" else "-"
                    axes.stairs(
                        heights,
                        edges,
                        baseline=base,
                        fill=kind == "marked",
                        alpha=0.55 if kind == "marked" else 1,
                        color=colours[kind],
                        linestyle=dashed,
                        linewidth=1.2,
                    )
            for kind in (kind for kind in KINDS if any(kind in shares for *_, shares in rows)):
                axes.plot(
                    [],
                    [],
                    color={"human": INK, "model": SOFT}.get(kind, view.styles[rows[0][0]]["color"]),
                    linestyle=(0, (2, 1.5)) if kind == "human" else "-",
                    linewidth=6 if kind == "marked" else 1.2,
                    alpha=0.55 if kind == "marked" else 1,
                    label=KINDS[kind],
                )
            names_left(axes, [label for label, *_ in reversed(rows)])
            axes.grid(visible=False, axis="y")
            axes.set(xlabel="z", ylim=(-0.05, len(rows)))

        about = "; ".join(
            f"{place.label}: mean z {mean_z.value:.2f}"
            for place in places
            if (mean_z := view.values.z(place))
        )
        title = f"{view.name(model, language)}, {length} tokens"
        strength = view.strength(model, language, length)
        size = (SIZE[0], 1.4 + ROW * max(2, len(rows)))
        panels.append(panel(f"z-{slug(model, language)}", title, about, paint, strength, size))
    return panels


def perplexity_panels(view: View) -> list[Panel]:
    """Perplexity of each scheme's text, of unmarked and of human text, with intervals, where measured."""
    panels = []
    for model, language, length, places in view.longest():
        rows: list[tuple[str, Estimate, str, str]] = []
        for name, kind, colour, marker in (
            ("human text", ":human", INK, "|"),
            ("unmarked", ":unmarked", SOFT, "x"),
        ):
            plain = [f for place in places if (f := view.values.recorded(place, f"perplexity{kind}"))]
            rows += [(name, plain[0], colour, marker)] if plain else []
        for place in places:
            perplexity = view.values.recorded(place, "perplexity")
            style = view.styles[place.label]
            rows += [(place.label, perplexity, style["color"], style["marker"])] if perplexity else []
        if not rows:
            continue

        def paint(axes: Axes, rows: Any = rows) -> None:
            for number, (_, perplexity, colour, marker) in enumerate(reversed(rows)):
                low = perplexity.value if perplexity.low is None else perplexity.low
                high = perplexity.value if perplexity.high is None else perplexity.high
                axes.plot([low, high], [number, number], color=colour)
                axes.plot([perplexity.value], [number], color=colour, marker=marker, markersize=6)
            names_left(axes, [label for label, *_ in reversed(rows)])
            axes.set(xlabel="perplexity", ylim=(-0.6, len(rows) - 0.4))

        about = "; ".join(f"{label}: {perplexity.value:.1f}" for label, perplexity, *_ in rows)
        title = f"{view.name(model, language)}, {length} tokens"
        strength = view.strength(model, language, length)
        size = (SIZE[0], 1.1 + 0.3 * max(3, len(rows)))
        panels.append(panel(f"perplexity-{slug(model, language)}", title, about, paint, strength, size))
    return panels
