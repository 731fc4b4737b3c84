"""The strength at which a mark costs what was asked for."""

from __future__ import annotations

from collections.abc import Callable

from stela_core import StelaError

POWER = 4
"""Power of delta that the divergence grows with, while it is small."""

FIRST = 2.0
"""Delta (nats) that is tried first."""

MOST = 32.0
"""The largest: red tokens are ruled out there, and more of it changes nothing."""

NEAR = 0.01
"""Relative error of the delta found."""


def delta_for(target: float, divergence: Callable[[float], float], scheme: str) -> float:
    """The delta at which a scheme's divergence is ``target``.

    The mean over keys moves away from p by the square of delta, and the divergence grows with the square of
    that: its fourth root is nearly straight, so a few calls do.

    Args:
        target: nats, above 0.
        divergence: that at a delta, nats; each call counts.
        scheme: for the error.

    Raises:
        StelaError: no delta reaches it.
    """
    from scipy.optimize import brentq  # slow to import

    wanted: float = target ** (1 / POWER)

    def short_of(delta: float) -> float:
        reached: float = max(0.0, divergence(delta)) ** (1 / POWER)
        return reached - wanted

    upper = FIRST
    known = {0.0: -wanted, upper: short_of(upper)}
    while known[upper] < 0:
        if upper >= MOST:
            most = (known[upper] + wanted) ** POWER
            raise StelaError(
                f'scheme "{scheme}" reaches a divergence of {most:.3g} at most, and {target:g} is asked for.',
                "ask for less",
            )
        upper *= 2
        known[upper] = short_of(upper)
    lower = max(delta for delta, value in known.items() if value < 0)
    delta: float = brentq(lambda one: known[one] if one in known else short_of(one), lower, upper, rtol=NEAR)
    return delta
