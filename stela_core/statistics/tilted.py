"""Tail of a weighted sum of many coins: exponential tilting and one Fourier transform."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stela_core.statistics.sums import dot

_NEGLIGIBLE = 46.0
"""Minus the log of the mass (1e-20) that may be wrapped around by the transform."""


def log_tail(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """``log P(S >= observed)``, S the sum over coins of value times green; never underflows.

    The coins are tilted to ``g_q = gamma e^(theta q) / (1 - gamma + gamma e^(theta q))`` with theta such
    that the tilted mean is the observed sum (the saddlepoint; Daniels 1954). With K the cumulant
    generating function, ``P(S = s) = exp(K(theta) - theta s) P_theta(S = s)``, so::

        P(S >= a) = exp(K(theta) - theta a) * sum over s >= a of exp(-theta (s - a)) P_theta(S = s)

    The tilted probabilities are large where they are needed, so the transform of their characteristic
    function, product over q of ``(1 - g_q + g_q e^(itq))^n_q``, gives the tail with full relative
    accuracy. Nothing is approximated: theta only has to be near the saddlepoint.

    Args:
        values: distinct lattice weights q, (d,), at least 1.
        counts: number of coins n_q of each, (d,), at least 1.
        observed: the sum over green coins, at least 0.
        gamma: probability that a coin is green.
    """
    total = int(values @ counts)
    if observed <= 0:
        return 0.0
    if observed >= total:
        return int(counts.sum()) * math.log(gamma) if observed == total else -math.inf
    theta = _saddlepoint(values, counts, observed, gamma)
    # K(theta) - theta a, written with exp(-theta q) <= 1: nothing overflows.
    red = (1 - gamma) * np.exp(-theta * values)
    scale = theta * (total - observed) + dot(counts, np.log(gamma + red))
    coin = gamma / (gamma + red)
    mean = dot(counts, coin * values)
    start, pmf = _pmf_near(values, counts, coin, mean, total)
    sums = np.arange(max(start, observed), start + len(pmf))
    terms = np.exp(-theta * (sums - observed)) * pmf[sums - start]
    # Rounding in the transform leaves a noise of 1e-17 around 0.
    return min(0.0, scale + math.log(max(float(terms.sum()), 1e-300)))


def _saddlepoint(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], observed: int, gamma: float
) -> float:
    """Theta >= 0 with tilted mean ``observed``, to a few digits; 0 where the mean is already larger."""

    def mean(theta: float) -> float:
        return dot(counts, values * gamma / (gamma + (1 - gamma) * np.exp(-theta * values)))

    if mean(0.0) >= observed:
        return 0.0
    high = 1.0 / float(values.max())
    while mean(high) < observed:
        high *= 2
    low = 0.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < observed else (low, middle)
    return low


def _pmf_near(
    values: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    coin: npt.NDArray[np.float64],
    mean: float,
    total: int,
) -> tuple[int, npt.NDArray[np.float64]]:
    """First sum and probabilities of the sums around the mean that hold all mass but 1e-20."""
    largest = int(values.max())
    variance = dot(counts, coin * (1 - coin) * values * values)
    # Bernstein: P(|S - mean| > t) <= 2 exp(-t^2 / (2 (variance + largest t / 3))).
    third = _NEGLIGIBLE * largest / 3
    reach = third + math.sqrt(third * third + 2 * _NEGLIGIBLE * variance)
    size = _fast_length(min(total + 1, 2 * int(reach) + 2))
    start = 0 if size > total else int(mean) - size // 2
    steps = np.arange(size // 2 + 1)
    roots = np.exp(-2j * np.pi * np.arange(size) / size)
    transform = np.ones(len(steps), dtype=np.complex128)
    for value, count, p in zip(values.tolist(), counts.tolist(), coin.tolist(), strict=True):
        factor = roots[steps * value % size]
        factor *= p
        factor += 1 - p
        _multiply_power(transform, factor, count)
    wrapped = np.fft.irfft(transform, size)
    return start, np.roll(wrapped, -(start % size))


def _multiply_power(
    product: npt.NDArray[np.complex128], factor: npt.NDArray[np.complex128], power: int
) -> None:
    """``product *= factor ** power`` by repeated squaring; overwrites ``factor``."""
    while True:
        if power & 1:
            product *= factor
        power >>= 1
        if not power:
            return
        factor *= factor


def _fast_length(needed: int) -> int:
    """An even length of at least ``needed`` with small prime factors."""
    power = 1 << max(1, (needed - 1).bit_length())
    shorter = 3 * power // 4
    return shorter if shorter >= needed and shorter % 2 == 0 else power
