"""What a bias on green tokens leaves and costs, expected over keys, from a model's distributions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TOKENS = 100
"""Number of tokens of a text whose z is given."""


def green_ratio(mass: Floats, bias: Floats | float) -> Floats:
    """Probability of the green tokens after a bias on them.

    ``G e^b / (G e^b + 1 - G)``: algorithm 2 of KGW (Kirchenbauer et al., ICML 2023), summed over them.

    Args:
        mass: their probability G before, in [0, 1].
        bias: b in nats, divided by the temperature if it comes before it; arrays broadcast.
    """
    return np.asarray(mass / (mass + (1 - mass) * np.exp(-bias)))


def surprisal_rise(mass: Floats, after: Floats, of_green: Floats, of_all: Floats) -> Floats:
    """Rise of E[-log p] where green tokens have the probability ``after`` in place of ``mass``.

    The marked distribution is ``p after / mass`` on green tokens and ``p (1 - after) / (1 - mass)`` on red
    ones, so the rise is ``(after / mass - 1) E_g + ((1 - after) / (1 - mass) - 1) (E - E_g)``.

    Args:
        mass: green probability, (n, splits).
        after: the same under the mark.
        of_green: E_g, sum of -p log p over green tokens, (n, splits).
        of_all: E, over all tokens, (n, 1).

    Returns:
        nats, (n, splits).
    """
    red = np.maximum(1 - mass, 1e-12)
    return np.asarray(
        (after / np.maximum(mass, 1e-12) - 1) * of_green + ((1 - after) / red - 1) * (of_all - of_green)
    )


class Sums:
    """Sums over the texts under one mark: each text's expected z and its surprisal, (texts,) each.

    z is that of STELA (Park et al., ACL 2026, section 4), with equal weights equation 3 of KGW, gamma 1/2: a
    token of weight w adds ``w (P(green) - 1/2)`` to its numerator and ``w**2 / 4`` to its variance.
    """

    def __init__(self, texts: int) -> None:
        self.top, self.squares, self.cost, self.count = (np.zeros(texts) for _ in range(4))

    def add(self, text: int, rise: Floats, weights: Floats, cost: Floats | None) -> None:
        """Take positions of a text: green's rise and the surprisal's, both means over splits, (n,)."""
        self.top[text] += weights @ rise
        self.squares[text] += (weights**2).sum() / 4
        self.cost[text] += 0.0 if cost is None else cost.sum()
        self.count[text] += len(rise)

    @property
    def z(self) -> Floats:
        """Expected z of each text, (texts,), scaled to 100 tokens."""
        return np.asarray(self.top / np.sqrt(self.squares) * np.sqrt(TOKENS / self.count))

    @property
    def surprisal(self) -> Floats:
        """Nats a token."""
        return np.asarray(self.cost / self.count)


def gain_at_equal_cost(z: Floats, cost: Floats, zs: Floats, costs: Floats) -> Floats:
    """How much larger z is than that of a mark whose strength is set so that it costs as much.

    Args:
        z: means of resamples of texts, (n,).
        cost: of the same, (n,).
        zs: of the other mark at several strengths, weakest first, (strengths, n); read linearly between.
        costs: of these.

    Returns:
        Ratios less 1, (n,).
    """
    alike = [np.interp(cost[n], costs[:, n], zs[:, n]) for n in range(len(z))]
    return np.asarray(z / np.array(alike) - 1)
