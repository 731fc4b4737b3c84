"""The z of a weighted count of green coins, and its exact tail: the p-value of a detection.

The weights are put on a lattice first (``lattice.py``), only from the weights. A weight never depends
on the key or on a colour, so neither does its lattice value, and ``sum q_g B_g`` with B_g independent
Bernoulli(gamma) is exactly the distribution of the lattice statistic on unmarked text over random keys.
Statistic and null use the same lattice values, so the p-value is valid as it stands, P(p <= a) <= a:
rounding weights costs a trace of power and needs no rounding of p against the claim. A normal tail, in
contrast, is off by factors of ten at 1e-5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_core.statistics.added_coins import SMALLEST
from stela_core.statistics.binomial import known_pmf, known_upper
from stela_core.statistics.convolution import convolution
from stela_core.statistics.lattice import to_lattice
from stela_core.statistics.sums import dot
from stela_core.statistics.tilted import log_tail

_LISTED = math.log(2000)
"""Log of the number of sums of the rarer values that are listed; where there are more, coins are added."""

_WORK = 40_000_000
"""Additions that one convolution may take (some 20 ms); more coins than that go by the transform."""


def z_score(green: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float) -> float:
    """Standardised weighted count of green coins.

    ``(sum w I - gamma sum w) / sqrt(gamma (1 - gamma) sum w**2)``: the detection formula z' of STELA
    (Park et al., ACL 2026, section 4; weights lambda), and with equal weights equation 3 of KGW
    (Kirchenbauer et al., ICML 2023). Over tokens it is the papers' statistic; over groups of
    repeated pairs with summed weights its standard deviation on unmarked text is 1.

    Args:
        green: colours of n independent coins, (n,).
        weights: their weights, (n,), finite and at least 0.
        gamma: probability that a coin is green, in (0, 1).

    Returns:
        z; 0.0 where no coin has weight.
    """
    largest = float(weights.max()) if len(weights) else 0.0
    if largest == 0.0:
        return 0.0
    # In units of the largest weight nothing under- or overflows when squared.
    shares = weights / largest
    excess = float(shares[green].sum()) - gamma * float(shares.sum())
    return excess / math.sqrt(gamma * (1 - gamma) * dot(shares, shares))


def tail_probability(green: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float) -> float:
    """P(weighted count of green coins at least as large as this one), coins independent.

    For equal weights it is the binomial tail ``I_gamma(S, T - S + 1)`` of S green among T.

    Args:
        green: colours of n coins, (n,).
        weights: weights of the coins, (n,), finite and at least 0.
        gamma: probability that a coin is green, in (0, 1).

    Returns:
        p in [1e-300, 1]; 1.0 where no coin has weight.
    """
    positive = weights > 0
    if not positive.any():
        return 1.0
    lattice = to_lattice(weights[positive])
    return lattice_tail(lattice, int(lattice[green[positive]].sum()), gamma)


def split_tail_probability(
    green: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float
) -> float:
    """:func:`tail_probability` with ties split: equal counts are ranked by which coins are green.

    ``P(S > s) + P(S = s) share``, with ``share`` that of :func:`share_at_least` for the arrangement of green
    among the coins of the most common lattice value. Given the number of green coins of each value, which
    decides S, all arrangements are as likely; so the share is valid given S, and the whole is: for the s in
    whose step a lies, ``P(p <= a) = P(S > s) + P(S = s) P(share <= (a - P(S > s)) / P(S = s) | S = s) <= a``.

    Args:
        green: colours of n coins, (n,), in an order that does not depend on colours.
        weights: weights of the coins, (n,), finite and at least 0.
        gamma: probability that a coin is green, in (0, 1).

    Returns:
        p in [1e-300, 1]; 1.0 where no coin has weight. Never above :func:`tail_probability`, but for the
        last bits.
    """
    positive = weights > 0
    if not positive.any():
        return 1.0
    lattice, green = to_lattice(weights[positive]), green[positive]
    return split_lattice_tail(lattice, green, gamma)


def split_lattice_tail(lattice: npt.NDArray[np.int64], green: npt.NDArray[np.bool_], gamma: float) -> float:
    """:func:`split_tail_probability` for whole weights (n,) of at least 0."""
    observed = int(lattice[green].sum())
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    if observed <= 0:
        return 1.0
    # These choices depend on the weights alone, as in lattice_tail.
    if _by_transform(values, counts):
        return lattice_tail(lattice, observed, gamma)
    choices = np.log(counts + 1.0)
    few = choices.sum() - choices.max() <= _LISTED
    above, tied = (listed_tie if few else convolved_tie)(values, counts, observed, gamma)
    common = int(np.argmax(counts))
    if counts[common] > 1:
        tied *= share_at_least(green[lattice == values[common]].tolist())
    return min(1.0, max(SMALLEST, above + tied))


def least_tail(weights: npt.NDArray[np.float64], gamma: float) -> float:
    """The smallest :func:`tail_probability` that n coins can have, by weights (n,) of at least 0."""
    positive = weights[weights > 0]
    if not len(positive):
        return 1.0
    return max(SMALLEST, gamma ** int(np.count_nonzero(to_lattice(positive))))


def lattice_tail(lattice: npt.NDArray[np.int64], observed: int, gamma: float) -> float:
    """P(sum of q_g B_g >= ``observed``) for whole weights q_g (n,) of at least 0, in [1e-300, 1]."""
    values, counts = np.unique(lattice[lattice > 0], return_counts=True)
    if observed <= 0:
        return 1.0
    # The choice depends on the weights alone, so that p is monotone in the observed sum.
    if _by_transform(values, counts):
        p = math.exp(max(-700.0, log_tail(values, counts, observed, gamma)))
    else:
        p = convolved_tail(values, counts, observed, gamma)
    return min(1.0, max(SMALLEST, p))


def _by_transform(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> bool:
    rarer = int(counts.sum()) - int(counts.max())
    return rarer * int(values @ counts) // 2 > _WORK


def convolved_tail(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """P(S >= ``observed``) by adding coin after coin, all terms positive.

    Starts from the binomial distribution of the most common value. Sums that have reached ``observed``
    are counted once and dropped, and so are those that can no longer reach it: what is left to add to
    is the band between. Without subtractions the relative error is near 1e-13; probabilities below
    1e-300 are dropped.

    Args:
        values: distinct whole weights, (d,), ascending, at least 1.
        counts: number of coins of each, (d,), at least 1.
        observed: at least 1.
        gamma: probability that a coin is green.
    """
    return convolution(values, counts, observed, observed, gamma)[0]


def convolved_tie(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> tuple[float, float]:
    """P(S > ``observed``) and P(S = ``observed``), as :func:`convolved_tail` and in one pass."""
    return convolution(values, counts, observed + 1, observed, gamma)


def listed_tie(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> tuple[float, float]:
    """The same as :func:`convolved_tie`, from a list of all sums of the rarer values: for few repeats."""
    common = int(np.argmax(counts))
    step = int(values[common])
    sums, chances = np.zeros(1, dtype=np.int64), np.ones(1)
    rarer = np.arange(len(values)) != common
    for value, count in zip(values[rarer].tolist(), counts[rarer].tolist(), strict=True):
        sums = (sums[:, None] + value * np.arange(count + 1)).ravel()
        chances = (chances[:, None] * known_pmf(count, gamma)).ravel()
    pmf = known_pmf(int(counts[common]), gamma)
    # upper[k + 1]: more than k green; one place on either side for what is below 0 or above all.
    upper = known_upper(int(counts[common]), gamma)
    needed, rest = np.divmod(observed - sums, step)
    above = dot(chances, upper[np.clip(needed + 1, 0, len(pmf))])
    tied = (rest == 0) & (needed >= 0) & (needed < len(pmf))
    return above, dot(chances[tied], pmf[needed[tied]])


_NEGLIGIBLE = 1e-12
"""Probability of arrangements that are not ranked further: all that are left are together as rare as this."""


def share_at_least(colours: Sequence[bool]) -> float:
    """Share of the arrangements of as many green coins that come no later than this one, in (0, 1].

    Given how many of m exchangeable coins are green, each of their arrangements is as likely. They are
    ordered like words: where two differ first, the one that is green there comes first. The share of those
    at or before the observed one is a valid p-value given the count: ``P(share <= a | count) <= a``, with
    equality at every step.

    Args:
        colours: of m coins, in an order that does not depend on colours.
    """
    left, green = len(colours), sum(colours)
    # Of all arrangements: those that agree so far, and those that came before.
    same, before = 1.0, 0.0
    for colour in colours:
        if green in (0, left) or same < _NEGLIGIBLE:
            break
        chance = green / left
        if colour:
            same *= chance
            green -= 1
        else:
            before += same * chance
            same *= 1 - chance
        left -= 1
    return min(1.0, before + same)
