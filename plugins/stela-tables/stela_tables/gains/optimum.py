"""How strong a mark should be after each class of contexts, for the most evidence at a cost.

Let the share ``n_c`` of tokens be of class c, and a bias of strength d there raise the chance of green by
``g_c(d)`` and cost ``s_c(d)``. With weights w the expected z of N tokens is, at a share gamma of green,

    z = sqrt(N) sum_c n_c w_c g_c / sqrt(gamma (1 - gamma) sum_c n_c w_c^2)

By Cauchy and Schwarz it is largest where ``w_c = g_c``, and then ``z^2`` is ``sum_c n_c g_c(d_c)^2`` up to
a factor. Under the condition that the mean cost ``sum_c n_c s_c(d_c)`` is at most what was asked for,
Lagrange's function is

    L = sum_c n_c (g_c(d_c)^2 - mu s_c(d_c)) + mu (cost asked for)

a sum over classes, so that each chooses its own ``d_c = argmax_d g_c(d)^2 - mu s_c(d)``, and mu is the price
of cost at which what was asked for is spent. Strengths that are best in this sense are best of all that cost
as much or less (Everett 1963). With one class it is KGW (Kirchenbauer et al. 2023), whose constant strength
Wouters (2024) derives in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

STEPS = 60
"""Halvings of the price's range."""


class Curves(NamedTuple):
    """What strengths gain and cost, by class."""

    strengths: Floats
    """Nats, ascending from 0, (strengths,)."""
    rise: Floats
    """Mean rise of the chance of green, (classes, strengths)."""
    cost: Floats
    """Mean cost, nats, (classes, strengths)."""
    shares: Floats
    """Share of the tokens in each class, (classes,); they sum to 1."""

    def cost_of(self, chosen: Numbers) -> float:
        """Mean cost of a token where each class has its chosen strength, given by numbers."""
        costs: list[float] = (self.shares * self.cost[np.arange(len(chosen)), chosen]).tolist()
        return sum(costs)

    def cost_of_all(self, strength: float) -> float:
        """Mean cost where all classes have one strength, as KGW's: read linearly between those known."""
        columns: list[list[float]] = (self.shares * self.cost.T).tolist()
        costs = [sum(column) for column in columns]
        strengths: list[float] = self.strengths.tolist()
        if strength >= strengths[-1]:
            return costs[-1]
        above = next(n for n, known in enumerate(strengths) if known > strength)
        low, high = strengths[above - 1], strengths[above]
        return costs[above - 1] + (costs[above] - costs[above - 1]) * (strength - low) / (high - low)


def best_strengths(curves: Curves, cost: float) -> Numbers:
    """Numbers of the strengths of largest expected z at a mean cost, (classes,).

    Prices are halved between 0 and one at which no class is marked. Of the strengths of the two last prices
    the dearer ones are then taken where there is still something to spend, best value first. Only products
    and differences of whole arrays and sums in order are used, so that all machines choose alike.

    Args:
        curves: of the classes.
        cost: nats a token; what is spent is not more, and less by the step of a class at most.
    """
    squares = curves.rise * curves.rise
    spent, price = curves.cost[:, 1:], 0.0
    ratios = squares[:, 1:][spent > 0] / spent[spent > 0]
    high = 2 * float(ratios.max(initial=0.0)) + 1.0
    chosen = np.zeros(len(squares), dtype=np.intp)
    dearer: Numbers = np.argmax(squares, axis=1)
    if curves.cost_of(dearer) <= cost:
        return dearer
    for _ in range(STEPS):
        middle = (price + high) / 2
        tried = np.argmax(squares - middle * curves.cost, axis=1)
        if curves.cost_of(tried) > cost:
            price, dearer = middle, tried
        else:
            high, chosen = middle, tried
    return _filled(curves, squares, chosen, dearer, cost)


def _filled(
    curves: Curves,
    squares: Floats,
    chosen: Numbers,
    dearer: Numbers,
    cost: float,
) -> Numbers:
    """What is left to spend goes to classes whose two strengths are worth the same at the price."""
    rows = np.arange(len(chosen))
    more = curves.shares * (curves.cost[rows, dearer] - curves.cost[rows, chosen])
    worth = curves.shares * (squares[rows, dearer] - squares[rows, chosen])
    order = sorted(np.flatnonzero(more > 0).tolist(), key=lambda row: (-worth[row] / more[row], row))
    made = chosen.copy()
    for row in order:
        tried = made.copy()
        tried[row] = dearer[row]
        if curves.cost_of(tried) <= cost:
            made = tried
    return made
