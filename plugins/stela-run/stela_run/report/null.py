"""Figure of the null: are p-values of unmarked text as small as they say, and no smaller?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stela_run.report.clean import clean, slug
from stela_run.report.draw import SOFT, Panel, panel
from stela_run.report.layout import View
from stela_run.statistics.bootstrap import Floats
from stela_run.statistics.roc import scores_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 120
"""Ranks drawn of each curve: all of the smallest, fewer of the others."""


def ranks_of(count: int) -> Floats:
    """Ranks of the sorted p-values that are drawn, from 1 to ``count``."""
    return np.unique(np.geomspace(1, count, POINTS).round())


def quantiles(p_values: Floats) -> tuple[Floats, Floats]:
    """Expected and observed ``-log10 p`` at :func:`ranks_of`; expected at rank r of n is r / (n + 1)."""
    count = len(p_values)
    ranks = ranks_of(count)
    return scores_of(ranks / (count + 1)), scores_of(np.sort(p_values)[ranks.astype(int) - 1])


def envelope(count: int) -> tuple[Floats, Floats]:
    """Ends of the 95 % range of each order statistic of ``count`` uniform p-values, as ``-log10 p``.

    Order statistic r is Beta(r, n + 1 - r). Pointwise.
    """
    from scipy.special import betaincinv  # slow to import

    ranks = ranks_of(count)
    low, high = (-np.log10(betaincinv(ranks, count + 1 - ranks, end)) for end in (0.975, 0.025))
    return low, high


def null_panels(view: View) -> list[Panel]:
    """Q-Q plots of the p-values of unmarked text at the longest length, under all keys.

    People's and the model's texts are taken together.
    """
    panels = []
    for model, language, length, places in view.longest():
        by_label = {
            place.label: np.concatenate([view.run.of(place, kind).p_value for kind in ("human", "model")])
            for place in places
        }
        by_label = {label: p_values for label, p_values in by_label.items() if len(p_values)}
        if not by_label:
            continue
        count = max(len(p_values) for p_values in by_label.values())

        def paint(axes: Axes, by_label: Any = by_label, count: int = count) -> None:
            expected = -np.log10(ranks_of(count) / (count + 1))
            axes.fill_between(expected, *envelope(count), color=SOFT, alpha=0.3, linewidth=0)
            axes.plot(expected, expected, color=SOFT, linewidth=1)
            for label, p_values in by_label.items():
                style = {**view.styles[label], "marker": None, "linewidth": 1.3}
                axes.plot(*quantiles(p_values), label=clean(label), **style)
            axes.set(xlabel="expected, −log10 p", ylabel="observed, −log10 p")

        about = "; ".join(
            f"{label}: {np.mean(p_values <= 0.01):.2%} of {len(p_values)} tests have p ≤ 0.01"
            for label, p_values in by_label.items()
        )
        title = f"{view.name(model, language)}, {length} tokens"
        panels.append(panel(f"null-{slug(model, language)}", title, about, paint))
    return panels
