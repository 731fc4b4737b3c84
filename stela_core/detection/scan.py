"""Find a marked passage inside a longer text: the window with the smallest corrected p-value."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.detection.evidence import Evidence
from stela_core.detection.result import Detection, Passage
from stela_core.detection.window_grid import window_grid
from stela_core.interfaces import Scorer
from stela_core.statistics.p_value import SMALLEST
from stela_core.text.prefix import prefix_ends

EXACT = 48
"""Windows whose exact p-value is worked out: those that a normal approximation puts first."""


class _Tried(NamedTuple):
    """A window in scored tokens; the smallest ``log_p`` is the most promising."""

    log_p: float
    """Of a normal tail, with the correction."""
    start: int
    end: int
    share: float


def with_passage(detection: Detection, scorer: Scorer, gamma: float) -> Detection:
    """The detection with its passage, and the verdict that rests on the passage's corrected p-value.

    The whole text is one of the windows tried, so this one p-value covers it too.
    """
    evidence: Evidence = detection.evidence
    if detection.p_alike is not None:
        evidence = evidence.alike()
    passage = find_passage(evidence, scorer, gamma)
    verdict = detection.verdict
    if passage is not None and verdict != "insufficient text":
        verdict = "watermarked" if passage.p_value <= detection.threshold else "no watermark found"
    return replace(detection, verdict=verdict, window=passage)


def find_passage(evidence: Evidence, scorer: Scorer, gamma: float) -> Passage | None:
    """Scan all windows of :func:`window_grid`; ``None`` where no token is scored.

    Each window is a text of its own: its repeated pairs are one coin, its p-value is the scorer's. For
    each window ``P(p_window <= a share_window) <= a share_window`` over random keys, so the smallest
    ``p_window / share_window`` is a valid p-value. Exact p-values are worked out for the most promising
    windows only; leaving windows out makes the result larger, never smaller: it stays valid.
    """
    count = len(evidence.positions)
    if count == 0:
        return None
    tried = list(_windows(evidence, gamma))
    best: tuple[float, float, float, _Tried] | None = None
    for window in heapq.nsmallest(EXACT, tried):
        part = slice(window.start, window.end)
        groups = np.unique(evidence.groups[part], return_inverse=True)[1].reshape(-1)
        score = scorer.score(evidence.green[part], evidence.weights[part], groups, gamma)
        found = (score.p_value / window.share, score.p_value, score.z, window)
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    corrected, p, z, window = best
    text, ends = prefix_ends(evidence.ids, evidence.token_bytes)
    # A tokenizer may write a space before the text, which its reader does not see.
    unseen = len(text) - len(evidence.token_bytes.decode(evidence.ids))
    ends.append(len(text))
    first, last = evidence.positions[window.start], evidence.positions[window.end - 1]
    start, end = max(unseen, ends[first]), ends[last + 1]
    return Passage(
        start=start - unseen,
        end=end - unseen,
        text=text[start:end],
        p_value=min(1.0, max(SMALLEST, corrected)),
        p_uncorrected=p,
        z=z,
        scored_tokens=window.end - window.start,
        green_fraction=float(evidence.green[window.start : window.end].mean()),
        windows=len(tried),
    )


def _windows(evidence: Evidence, gamma: float) -> Iterator[_Tried]:
    """All windows, with z of grouped evidence: O(n) for each of O(log n) lengths."""
    # In units of the largest weight nothing under- or overflows when squared.
    weights = evidence.weights / (float(evidence.weights.max()) or 1.0)
    excess = np.concatenate([[0.0], np.cumsum(weights * (evidence.green - gamma))])
    for windows in window_grid(len(weights)):
        ends = windows.starts + windows.length
        squares = sliding_squares(weights, evidence.groups, windows.length)[windows.starts]
        spread = np.sqrt(gamma * (1 - gamma) * np.maximum(squares, 1e-30))
        z = (excess[ends] - excess[windows.starts]) / spread
        cost = math.log(windows.share)
        for start, end, score in zip(windows.starts.tolist(), ends.tolist(), z.tolist(), strict=True):
            yield _Tried(_log_normal_tail(score) - cost, start, end, windows.share)


def sliding_squares(
    weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64], length: int
) -> npt.NDArray[np.float64]:
    """Sum over groups of (summed weight)**2 in each window of ``length`` tokens, (n - length + 1,).

    A token that enters a group of weight W changes its square by ``w (2 W + w)``, one that leaves by
    ``-w (2 W - w)``.
    """
    total = [0.0] * (int(groups.max()) + 1)
    values, numbers = weights.tolist(), groups.tolist()
    squares = 0.0
    found = []
    for end, (weight, group) in enumerate(zip(values, numbers, strict=True), start=1):
        squares += weight * (2 * total[group] + weight)
        total[group] += weight
        if end >= length:
            found.append(squares)
            old, leaving = values[end - length], numbers[end - length]
            squares -= old * (2 * total[leaving] - old)
            total[leaving] -= old
    return np.array(found)


def _log_normal_tail(z: float) -> float:
    """Log of P(N >= z), roughly beyond 30."""
    if z > 30:
        return -z * z / 2 - math.log(z * math.sqrt(2 * math.pi))
    return math.log(math.erfc(z / math.sqrt(2)) / 2)
