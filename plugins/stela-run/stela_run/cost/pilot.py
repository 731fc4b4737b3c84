"""The strength at which a mark costs what was asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from stela_core import StelaError

PILOT_TEXTS = 32
"""Texts by which the strength is set: not those that are measured, for they are drawn with another seed."""

PILOT_ROUNDS = 2
"""The mean bias is nearly, but not quite, in proportion to delta: a strong mark changes the text."""

POWERS = {"divergence": 4, "surprisal": 2, "divergence_per_key": 2}
"""Power of delta that each cost grows with, while it is small: the mean over keys moves away from p by the
square of delta, and each key's distribution by delta."""

FIRST = 2.0
"""Delta (nats) that is tried first."""

MOST = 32.0
"""The largest: red tokens are ruled out there, and more of it changes nothing."""

NEAR, FINE = 0.01, 1e-3
"""Relative error of what is found, and a share of a range that is not looked into."""


def delta_for(target: float, cost: Callable[[float], float], scheme: str, what: str = "divergence") -> float:
    """The delta at which a scheme's cost is ``target``.

    A root of the cost, by its :data:`power <POWERS>`, is nearly straight in delta, so a few calls do.

    Args:
        target: nats, above 0.
        cost: that at a delta, nats; each call counts.
        scheme: for the error.
        what: name of the cost.

    Raises:
        StelaError: no delta reaches it.
    """
    from scipy.optimize import brentq  # slow to import

    power = POWERS[what]
    wanted: float = target ** (1 / power)

    def short_of(delta: float) -> float:
        reached: float = max(0.0, cost(delta)) ** (1 / power)
        return reached - wanted

    upper = FIRST
    known = {0.0: -wanted, upper: short_of(upper)}
    while known[upper] < 0:
        if upper >= MOST:
            raise _out_of_reach(scheme, what, (known[upper] + wanted) ** power, target)
        upper *= 2
        known[upper] = short_of(upper)
    lower = max(delta for delta, value in known.items() if value < 0)
    delta: float = brentq(lambda one: known[one] if one in known else short_of(one), lower, upper, rtol=NEAR)
    return delta


class Solved(NamedTuple):
    """A value of a parameter, and how fast the cost grows there."""

    value: float
    slope: float
    """Cost for each unit of the parameter; negative where less of it marks more."""


def value_for(
    target: float, cost: Callable[[float], float], ends: tuple[float, float], scheme: str, what: str
) -> Solved:
    """The value of a parameter at which a scheme's cost is ``target``, whichever way it grows.

    Roots of the cost are joined by straight lines, and an end that is kept is drawn in by half (Dowell and
    Jarratt, "A modified regula falsi method", BIT 11, 1971).

    Args:
        target: above 0.
        cost: that at a value, 0 at the weakest; each call counts.
        ends: the weakest and the strongest value.
        scheme: for the error.
        what: name of the cost.

    Raises:
        StelaError: no value reaches it.
    """
    weakest, strongest = ends
    wanted = math.sqrt(target)
    most = cost(strongest)
    if most < target:
        raise _out_of_reach(scheme, what, most, target)
    low, high = (0.0, -wanted), (1.0, math.sqrt(most) - wanted)
    costs = {0.0: 0.0, 1.0: most}
    at, side = 1.0, 0
    while abs(costs[at] - target) > NEAR * target and high[0] - low[0] > FINE:
        at = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1])
        costs[at] = cost(weakest + at * (strongest - weakest))
        over = math.sqrt(max(0.0, costs[at])) - wanted
        if over < 0:
            low, high = (at, over), (high[0], high[1] / 2 if side < 0 else high[1])
        else:
            low, high = (low[0], low[1] / 2 if side > 0 else low[1]), (at, over)
        side = -1 if over < 0 else 1
    width = strongest - weakest
    near = [share for share in sorted(costs) if share != at]
    other = min(near, key=lambda share: abs(share - at))
    return Solved(weakest + at * width, (costs[at] - costs[other]) / ((at - other) * width))


def _out_of_reach(scheme: str, what: str, most: float, target: float) -> StelaError:
    words = what.replace("_", " ")
    return StelaError(
        f'scheme "{scheme}" reaches a {words} of {most:.3g} at most, and {target:g} is asked for.',
        "ask for less",
    )
