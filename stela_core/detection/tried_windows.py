"""All windows of a text's grid with the z of a normal approximation: which are worth an exact p-value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.detection.evidence import Evidence
from stela_core.detection.window_grid import window_grid
from stela_core.interfaces import Scorer


class Tried(NamedTuple):
    """A window in scored tokens; the smallest ``log_p`` is the most promising."""

    log_p: float
    """Of a normal tail, with the correction."""
    start: int
    end: int
    share: float


def tried_windows(evidence: Evidence, scorer: Scorer, readings: int) -> Iterator[Tried]:
    """All windows, with z of grouped evidence: O(n) for each of O(log n) lengths."""
    law = evidence.law
    # In units of the largest weight nothing under- or overflows when squared.
    weights = evidence.weights / (float(evidence.weights.max()) or 1.0)
    shares = scorer.shares(np.arange(1, 1 + int(np.bincount(evidence.groups).max())))
    for windows in window_grid(len(weights)):
        excess, squares = sliding_sums(
            weights, evidence.signal - law.mean, evidence.groups, shares, windows.length
        )
        ends = windows.starts + windows.length
        spread = np.sqrt(law.variance * np.maximum(squares[windows.starts], 1e-30))
        z = excess[windows.starts] / spread
        share = windows.share / readings
        cost = math.log(share)
        for start, end, score in zip(windows.starts.tolist(), ends.tolist(), z.tolist(), strict=True):
            yield Tried(_log_normal_tail(score) - cost, start, end, share)


def sliding_sums(
    weights: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    shares: npt.NDArray[np.float64],
    length: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sums over groups of W times value, and of W**2, in each window, (n - length + 1,) each.

    W is the weight of a group in the window: the sum over its m tokens there, times ``shares[m - 1]``. A
    token that enters or leaves changes the W of its own group alone.

    Args:
        weights: of n tokens, (n,).
        values: of the tokens, (n,); equal within a group.
        groups: group numbers, (n,), at least 0.
        shares: for m = 1, 2, ..., the most tokens of any group.
        length: of the windows, in tokens.
    """
    count = int(groups.max()) + 1
    sums, sizes, stakes = [0.0] * count, [0] * count, [0.0] * count
    factors = [0.0, *shares.tolist()]
    own, worth, numbers = weights.tolist(), values.tolist(), groups.tolist()
    total = squares = 0.0
    totals, squared = [], []
    for end, group in enumerate(numbers, start=1):
        sums[group] += own[end - 1]
        sizes[group] += 1
        old = stakes[group]
        new = stakes[group] = sums[group] * factors[sizes[group]]
        squares += (new - old) * (new + old)
        total += (new - old) * worth[end - 1]
        if end < length:
            continue
        totals.append(total)
        squared.append(squares)
        group = numbers[end - length]
        sums[group] -= own[end - length]
        sizes[group] -= 1
        old = stakes[group]
        new = stakes[group] = sums[group] * factors[sizes[group]]
        squares += (new - old) * (new + old)
        total += (new - old) * worth[end - length]
    return np.array(totals), np.array(squared)


def _log_normal_tail(z: float) -> float:
    """Log of P(N >= z), roughly beyond 30."""
    if z > 30:
        return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))
    return math.log(math.erfc(z / math.sqrt(2)) / 2)
