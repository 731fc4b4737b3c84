"""The windows of one text under one mark: their exact p-values, and what is named of them."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import Message, Score, Scorer, Signals
from stela_core.api import Evidence, Passage, dot
from stela_detection.search.messages import Carried
from stela_detection.search.passages import Spans, densest, evidence_of_tokens
from stela_detection.search.windows import Candidate, candidates

SMALLEST = 1e-300
"""Smallest p-value."""

EXACT = 48
"""Windows whose exact p-value is worked out for the best one: a normal approximation puts them first."""

WIDEST = 2
"""Largest ratio of the window in which a passage is painted to the one that it was chosen by."""


APART = 16
"""Parts nearer to each other, in scored tokens, are one: ends are cut where a few tokens are red."""


class Extent(NamedTuple):
    """What is named, in scored tokens."""

    best: Candidate
    """The window whose p-value it has."""
    window_start: int
    window_end: int
    """End of all its windows together."""
    start: int
    end: int
    """End of the tokens in which their evidence lies."""


class Scan:
    """All windows of :func:`window_grid` over one text.

    Each window is a separate text: its repeated pairs are one coin, its p-value is the scorer's. For
    each window ``P(p_window <= a share_window) <= a share_window`` over random keys, so
    ``p_window / share_window`` is a p-value that holds for all windows at once (union bound). Exact p-values
    are worked out for the most promising windows only; leaving windows out makes results larger and passages
    fewer, never the other way: they remain valid.

    Args:
        evidence: of at least one scored token.
        scorer: gives the p-value of a window.
        looks: how many marks the text is tested for, times the keys that were chosen among; corrected for, as
            windows are, and as the share of alpha that the evidence's reading has.
        carried: what says which message a window names, where the evidence is that under one.
    """

    def __init__(
        self, evidence: Evidence, scorer: Scorer, looks: float = 1, carried: Carried | None = None
    ) -> None:
        self._evidence, self._scorer, self._carried = evidence, scorer, carried
        self._signals, self._signal = evidence.signals, evidence.signal
        self._candidates = list(candidates(evidence, scorer, looks))
        self._scores: dict[tuple[int, int], Score] = {}
        if evidence.whole is not None:
            window = self._candidates[-1]
            self._scores[window.start, window.end] = evidence.whole
            self._candidates[-1] = window._replace(log_p=math.log(evidence.whole.p_value / window.share))
        self._spans = Spans(evidence)

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return len(self._evidence.positions)

    def best(self) -> Passage:
        """The window with the smallest corrected p-value."""
        window = min(
            heapq.nsmallest(EXACT, self._candidates),
            key=lambda window: self._score(window).p_value / window.share,
        )
        return self.passage(Extent(window, window.start, window.end, window.start, window.end))

    def best_of_all(self) -> float:
        """The corrected p-value of the whole text if all of it were green: no window's can be smaller."""
        whole = self._candidates[-1]
        return self._scorer.least_p_of(self._signals) / whole.share

    def goes_on(self, before: Extent, after: Extent) -> bool:
        """Whether two parts are one passage: tokens between look marked, too, or are too few to tell."""
        if after.start - before.end < APART:
            return True
        inside, between = slice(before.start, after.end), slice(before.end, after.start)
        return float(self._values(between, self._mean(inside)).sum()) >= 0

    def joined(self, before: Extent, after: Extent) -> Extent:
        """Two parts as one. There is a mark in it if there is in either: its p-value is the smaller one."""
        best = min(before.best, after.best, key=self.corrected)
        return Extent(best, before.window_start, after.window_end, before.start, after.end)

    def promising(self, alpha: float) -> list[Candidate]:
        """Windows that look marked by the normal approximation, in the order of their starts."""
        promising = [window for window in self._candidates if window.log_p <= math.log(alpha)]
        promising.sort(key=lambda window: window.start)
        return promising

    def painted(
        self, core: Candidate, promising: Sequence[Candidate], first: int, stop: int, alpha: float
    ) -> Extent:
        """A window around ``core`` within ``first .. stop``, and its densest part.

        A grid of windows seldom has one that ends where the mark does. One that reaches further is taken
        where it shows more of the mark.
        """
        mean = self._mean(slice(core.start, core.end))
        options = []
        longest = WIDEST * (core.end - core.start)
        first = max(first, core.end - longest)
        near = bisect_left(promising, first, key=lambda window: window.start)
        for window in islice(promising, near, None):
            if window.start > core.start:
                break
            if core.end <= window.end <= stop and window.end - window.start <= longest:
                start, end, total = densest(self._values(slice(window.start, window.end), mean))
                options.append((-total, window.end - window.start, window, start, end))
        for _, _, window, start, end in sorted(options):
            if self.corrected(window) <= alpha:
                return Extent(window, window.start, window.end, window.start + start, window.start + end)
        return Extent(core, core.start, core.end, core.start, core.end)

    def _score(self, window: Candidate) -> Score:
        """The scorer's, of the window as a separate text."""
        bounds = (window.start, window.end)
        if bounds not in self._scores:
            signals, part = self._signals, slice(*bounds)
            groups = np.unique(signals.groups[part], return_inverse=True)[1].reshape(-1)
            window_signals = Signals(signals.draws[part], signals.weights[part], groups, signals.law)
            self._scores[bounds] = self._scorer.score_signals(window_signals)
        return self._scores[bounds]

    def _mean(self, part: slice) -> float:
        """Weighted mean signal of a part."""
        weights = self._evidence.weights[part]
        return dot(weights, self._signal[part]) / (float(weights.sum()) or 1.0)

    def _values(self, part: slice, mean: float) -> npt.NDArray[np.float64]:
        """What each token of a part says for a mark whose signals have this mean."""
        evidence = self._evidence
        return evidence_of_tokens(
            self._signal[part], evidence.weights[part], evidence.groups[part], evidence.law.mean, mean
        )

    def corrected(self, window: Candidate) -> float:
        """A window's exact p-value over its share."""
        return min(1.0, max(SMALLEST, self._score(window).p_value / window.share))

    def passage(self, part: Extent) -> Passage:
        """What is said of a part."""
        span, within = (
            self._spans.of(part.start, part.end),
            self._spans.of(part.window_start, part.window_end),
        )
        score = self._score(part.best)
        return Passage(
            start=span.start,
            end=span.end,
            text=span.text,
            p_value=self.corrected(part.best),
            p_uncorrected=score.p_value,
            z=score.z,
            scored_tokens=part.end - part.start,
            green_fraction=float(self._evidence.green[part.start : part.end].mean()),
            windows=len(self._candidates),
            window_start=within.start,
            window_end=within.end,
            token_start=span.token_start,
            token_end=span.token_end,
            reading=self._evidence.reading.name,
            message=self._named(part.best),
        )

    def _named(self, window: Candidate) -> Message | None:
        """What is sure of the message whose evidence this is."""
        if self._carried is None or self._evidence.message is None:
            return None
        return self._carried.named(self._evidence.message.value, window)
