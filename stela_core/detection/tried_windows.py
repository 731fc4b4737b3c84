"""All windows of a text's grid with the z of a normal approximation: which are worth an exact p-value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stela_core.detection.evidence import Evidence
from stela_core.detection.sliding_sums import SlidingSums
from stela_core.detection.window_grid import window_grid
from stela_core.interfaces import Scorer


class Tried(NamedTuple):
    """A window in scored tokens; the smallest ``log_p`` is the most promising."""

    log_p: float
    """Of a normal tail, with the correction."""
    start: int
    end: int
    share: float


def tried_windows(evidence: Evidence, scorer: Scorer, looks: float) -> Iterator[Tried]:
    """All windows, with z of grouped evidence: O(n) for each of O(log n) lengths."""
    law = evidence.law
    # In units of the largest weight nothing under- or overflows when squared.
    weights = evidence.weights / (float(evidence.weights.max()) or 1.0)
    shares = scorer.shares(np.arange(1, 1 + int(np.bincount(evidence.groups).max())))
    sliding = SlidingSums(weights, evidence.signal - law.mean, evidence.groups, shares)
    for windows in window_grid(len(weights)):
        excess, squares = sliding.of(windows.length)
        ends = windows.starts + windows.length
        spread = np.sqrt(law.variance * np.maximum(squares[windows.starts], 1e-30))
        z = excess[windows.starts] / spread
        share = windows.share * evidence.share / looks
        cost = math.log(share)
        for start, end, score in zip(windows.starts.tolist(), ends.tolist(), z.tolist(), strict=True):
            yield Tried(_log_normal_tail(score) - cost, start, end, share)


def _log_normal_tail(z: float) -> float:
    """Log of P(N >= z), roughly beyond 30."""
    if z > 30:
        return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))
    return math.log(math.erfc(z / math.sqrt(2)) / 2)
