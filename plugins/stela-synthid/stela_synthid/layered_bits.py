"""The law of a tournament's marks: several bits for each token, with the tail of very many of them.

A token of SynthID-Text has 30 bits, so a text of 200 tokens is 6,000 coins, where green lists have 200. The
lattice is the coarsest that ``to_lattice`` makes, and its distribution comes from the few frequencies at
which the Fourier transform of a sum of this many coins is not negligible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import dot, dots

SMALLEST = 1e-300
"""The smallest p-value that is returned."""

_NEGLIGIBLE = 50.0
"""Minus the log of a transform's height, or of a mass, that adds nothing in double precision."""

_TOGETHER = 256
"""So few frequencies are looked at for all values at once."""


@dataclass(frozen=True)
class LayeredBits(stela.Bernoulli):
    """A bit for each layer; the p-values are the core's where there is one of weight 1."""

    def tail(self, draws: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], split: bool) -> float:
        """:func:`bits_tail`."""
        if self.is_green_list:
            return super().tail(draws, weights, split)
        return bits_tail(draws > 0, weights, self.gamma, split)

    def ordering_weights(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
        """The weights on the lattice, (m,)."""
        if self.is_green_list:
            return super().ordering_weights(weights)
        whole = np.zeros(len(weights))
        positive = weights > 0
        if positive.any():
            whole[positive] = self.to_lattice(weights[positive], units=1)
        return whole

    def least_tail(self, weights: npt.NDArray[np.float64]) -> float:
        """``gamma ** m``, of all draws 1: the m that have weight on the lattice."""
        if self.is_green_list:
            return super().least_tail(weights)
        return least_bits_tail(weights, self.gamma)


def bits_tail(
    bits: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], gamma: float = 0.5, split: bool = False
) -> float:
    """P(weighted sum of n independent bits at least as large as this one).

    Statistic and null have the same lattice weights, chosen only from the weights: P(p <= a) <= a.

    Args:
        bits: (n,), in an order that does not depend on them.
        weights: of the bits, (n,), finite and at least 0.
        gamma: probability that a bit is 1.
        split: whether equal sums of equal weights are ranked, as by ``split_tail_probability``. Other
            weights have too many sums for many to be equal.

    Returns:
        p in [1e-300, 1]; 1.0 where no bit has weight.
    """
    positive = weights > 0
    if not positive.any():
        return 1.0
    lattice, bits = stela.Bernoulli.to_lattice(weights[positive], units=1), bits[positive]
    counts = np.bincount(lattice)
    values = np.flatnonzero(counts)
    if len(values) == 1:
        return stela.Bernoulli(gamma).tail(bits.astype(np.float64), lattice.astype(np.float64), split)
    log_p = log_bits_tail(values[values > 0], counts[values[values > 0]], int(lattice @ bits), gamma)
    return min(1.0, max(SMALLEST, math.exp(max(-700.0, log_p))))


def least_bits_tail(weights: npt.NDArray[np.float64], gamma: float = 0.5) -> float:
    """The smallest :func:`bits_tail` that n bits can have, by weights (n,) of at least 0: of all ones."""
    positive = weights[weights > 0]
    if not len(positive):
        return 1.0
    return max(SMALLEST, gamma ** int(np.count_nonzero(stela.Bernoulli.to_lattice(positive, units=1))))


def log_bits_tail(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """``log P(S >= observed)``, S the sum over bits of value times bit; never underflows.

    The formula is that of ``tilted.py``: bits tilted to a mean near the observed sum, ``P(S >= a) =
    exp(K(theta) - theta a) sum over s >= a of exp(-theta (s - a)) P_theta(S = s)``. The inner sum is taken in
    the transform's space, where the sum over s is a geometric series. The transform of many bits is
    negligible at nearly all frequencies, and each value's factor is at most 1: frequencies are dropped, value
    after value, as soon as what was multiplied so far is below exp(-50).

    Args:
        values: distinct lattice weights q, (d,), at least 1.
        counts: number of bits n_q of each, (d,), at least 1.
        observed: a, at least 0.
        gamma: probability that a bit is 1.
    """
    total = int(values @ counts)
    if observed <= 0:
        return 0.0
    if observed >= total:
        return int(counts.sum()) * math.log(gamma) if observed == total else -math.inf
    theta = _saddlepoint(values, counts, observed, gamma)
    zeros = (1 - gamma) * np.exp(-theta * values)
    # K(theta) - theta a, so written that nothing overflows.
    scale = theta * (total - observed) + dot(counts, np.log(gamma + zeros))
    tilted = gamma / (gamma + zeros)
    spread = tilted * (1 - tilted)
    start, size = _window(values, counts, tilted, spread, total)
    frequencies, logs = _heard(values, counts, spread, size)
    angles = (2 * math.pi / size) * (np.multiply.outer(frequencies, values) % size)
    turns = dots(np.arctan2(tilted * np.sin(angles), 1 - tilted + tilted * np.cos(angles)), counts)
    first = max(start, observed)
    # In whole turns, so that the phase of a large sum loses nothing.
    turns = turns - (2 * math.pi / size) * (frequencies * first % size)
    steps = theta + (2j * math.pi / size) * frequencies
    # The frequency 0 is the first; without tilt its series is a sum of ones.
    terms = start + size - first
    series = np.full(len(steps), float(terms), dtype=np.complex128)
    some = steps != 0
    series[some] = np.expm1(-terms * steps[some]) / np.expm1(-steps[some])
    heights = (np.exp(logs + 1j * turns) * series).real
    # ``size`` is odd: each other frequency stands for its conjugate, too.
    tail = (2 * float(heights.sum()) - float(heights[0])) / size
    # A remainder of 1e-17 around 0 is rounding.
    return min(0.0, scale - theta * (first - observed) + math.log(max(tail, 1e-300)))


def _heard(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], spread: npt.NDArray[np.float64], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Frequencies k <= size / 2, 0 first, at which the transform is not negligible, and its log height there.

    A tilted bit's factor has the squared height ``1 - 4 p (1 - p) sin(pi q k / size)^2``.
    """
    frequencies = np.arange(size // 2 + 1)
    logs = np.zeros(len(frequencies))
    order = np.argsort(-(counts * spread), kind="stable")
    for place, d in enumerate(order.tolist()):
        if len(frequencies) <= _TOGETHER:
            rest = order[place:]
            sines = np.sin((math.pi / size) * (np.multiply.outer(frequencies, values[rest]) % size))
            heights = np.log(np.maximum(1 - 4 * spread[rest] * sines * sines, SMALLEST))
            logs += dots(heights, 0.5 * counts[rest])
            break
        sines = np.sin((math.pi / size * float(values[d])) * frequencies)
        logs += (0.5 * counts[d]) * np.log(np.maximum(1 - 4 * spread[d] * sines * sines, SMALLEST))
        loud = logs > -_NEGLIGIBLE
        frequencies, logs = frequencies[loud], logs[loud]
    loud = logs > -_NEGLIGIBLE
    return frequencies[loud], logs[loud]


def _window(
    values: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    tilted: npt.NDArray[np.float64],
    spread: npt.NDArray[np.float64],
    total: int,
) -> tuple[int, int]:
    """First sum and (odd) number of sums that hold all of the tilted mass but exp(-50), by Bernstein."""
    mean = dot(counts, tilted * values)
    variance = dot(counts, spread * values * values)
    third = _NEGLIGIBLE * int(values.max()) / 3
    reach = int(third + math.sqrt(third * third + 2 * _NEGLIGIBLE * variance)) + 1
    if 2 * reach >= total:
        return 0, total + 1 | 1
    return int(mean) - reach, 2 * reach + 1


def _saddlepoint(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """Theta >= 0 with a tilted mean near ``observed``; 0 where the mean is larger as it is. Newton."""
    theta, low, high = 0.0, 0.0, math.inf
    for _ in range(60):
        tilted = gamma / (gamma + (1 - gamma) * np.exp(-theta * values))
        weighted = counts * values * tilted
        missing = observed - float(weighted.sum())
        variance = dot(weighted * (1 - tilted), values)
        if missing <= 0:
            if theta == 0:
                return 0.0
            high = theta
        else:
            low = theta
        if missing * missing <= 1e-3 * variance:
            break
        theta += missing / variance if variance else math.inf
        if not low < theta < high:
            theta = (low + high) / 2 if high < math.inf else 2 * low + 1 / float(values.max())
    return theta
