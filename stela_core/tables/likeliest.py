"""From a table's value to a distribution: one likely token, the rest of the probability spread out.

A table holds one number for a context, learned at one strength. A family of distributions with one parameter,
the probability of the likeliest token, turns it into what a mark of any strength does there.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DELTA = 1.25
"""Bias (nats) at which a table's values are worked out; tables for other strengths differ little."""

TEMPERATURE = 0.7
"""At which the shipped tables were learned, and at which text is taken to be drawn."""

GAMMA = 0.5
"""At which they were learned."""

POINTS = 1025

QUANTITIES = ("expected-gain", "spike-entropy")
"""Quantities of tables that this family is known for."""


def gains_beside(likeliest: Floats, strength: Floats | float, gamma: float) -> Floats:
    """Expected rise of the green tokens' probability, over random splits, (n,), in [0, 1 - gamma].

    Args:
        likeliest: probability of the likeliest token, (n,); the others are green by the share gamma.
        strength: bias over temperature, (n,) or one.
        gamma: share of green tokens.
    """
    factor = np.exp(strength)
    rest = gamma * (1 - likeliest)
    raised = [green * factor / (1 - green + green * factor) for green in (likeliest + rest, rest)]
    return np.asarray(gamma * raised[0] + (1 - gamma) * raised[1] - gamma)


def likeliest_of(values: Floats, quantity: str) -> Floats:
    """The probability of the likeliest token that gives a table these values, (n,), in [0, 1]."""
    chances, known = _curve(quantity)
    return np.asarray(np.interp(values, known, chances))


@cache
def _curve(quantity: str) -> tuple[Floats, Floats]:
    """Probabilities from 1 to 0, and the values that rise with them."""
    chances = np.linspace(1, 0, POINTS)
    if quantity == "expected-gain":
        return chances, gains_beside(chances, DELTA / TEMPERATURE, GAMMA)
    # Spike entropies were taken at temperature 1, before the distribution is sharpened.
    factor = np.exp(DELTA)
    modulus = (1 - GAMMA) * (factor - 1) / (1 - GAMMA + GAMMA * factor)
    return chances, chances / (1 + modulus * chances) + (1 - chances) - 1 / (1 + modulus)
