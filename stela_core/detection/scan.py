"""Find marked passages inside a longer text: windows whose corrected p-value is small."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.detection.evidence import Evidence
from stela_core.detection.passages import Passage, Spans, best_apart, densest, evidence_of_tokens
from stela_core.detection.result import Detection
from stela_core.detection.windows import Candidate, candidates
from stela_core.interfaces import Score, Scorer, Signals
from stela_core.statistics.added_coins import SMALLEST
from stela_core.statistics.sums import dot

EXACT = 48
"""Windows whose exact p-value is worked out for the best one: a normal approximation puts them first."""

ROUNDS = 8
"""How often passages are chosen anew after exact p-values. Each round works out those that were not chosen
before: at most ``8 n / 32`` in a text of n tokens."""

WIDEST = 2
"""A passage is painted inside a window at most so many times as long as the one that it was chosen by."""


APART = 16
"""Parts nearer to each other, in scored tokens, are one: ends are cut where a few tokens are red."""


class _Extent(NamedTuple):
    """What is named, in scored tokens."""

    best: Candidate
    """The window whose p-value it has."""
    window_start: int
    window_end: int
    """Of all its windows together."""
    start: int
    end: int
    """Where their evidence lies."""


def with_passage(detection: Detection, scorer: Scorer) -> Detection:
    """The detection with its passages, and the verdict that rests on the best one's corrected p-value.

    The whole text is one of the windows tried, so this one p-value covers it too.
    """
    readings: list[Evidence] = [detection.evidence, *detection.others]
    looks = detection.tests * detection.choices
    scans = [
        Scan(evidence if detection.p_unweighted is None else evidence.unweighted(), scorer, looks)
        for evidence in readings
        if len(evidence.positions)
    ]
    if not scans:
        return detection
    # Where a text has several readings, passages are named in the one that looks marked most.
    best, scan = min(((scan.best(), scan) for scan in scans), key=lambda scanned: scanned[0].p_value)
    verdict = detection.verdict
    passages: tuple[Passage, ...] = ()
    if verdict != "insufficient text":
        verdict = "watermarked" if best.p_value <= detection.threshold else "no watermark found"
        passages = scan.passages(detection.threshold)
        if verdict != "watermarked" and all(each.best_of_all() > detection.threshold for each in scans):
            verdict = "insufficient text"
    if best.reading != detection.reading:
        spans = Spans(detection.evidence)
        best, *rest = (spans.relabelled(passage) for passage in (best, *passages))
        passages = tuple(rest)
    return replace(detection, verdict=verdict, window=best, passages=passages)


def find_passage(evidence: Evidence, scorer: Scorer) -> Passage | None:
    """The window with the smallest corrected p-value; ``None`` where no token is scored."""
    return Scan(evidence, scorer).best() if len(evidence.positions) else None


def find_passages(evidence: Evidence, scorer: Scorer, alpha: float) -> tuple[Passage, ...]:
    """All passages that look marked (:meth:`Scan.passages`)."""
    return Scan(evidence, scorer).passages(alpha) if len(evidence.positions) else ()


class Scan:
    """All windows of :func:`window_grid` over one text.

    Each window is a text of its own: its repeated pairs are one coin, its p-value is the scorer's. For
    each window ``P(p_window <= a share_window) <= a share_window`` over random keys, so
    ``p_window / share_window`` is a p-value that holds for all windows at once (union bound). Exact p-values
    are worked out for the most promising windows only; leaving windows out makes results larger and passages
    fewer, never the other way: they stay valid.

    Args:
        evidence: of at least one scored token.
        scorer: gives the p-value of a window.
        looks: how many marks the text is tested for, times the keys that were chosen among; corrected for, as
            windows are, and as the share of alpha that the evidence's reading has.
    """

    def __init__(self, evidence: Evidence, scorer: Scorer, looks: float = 1) -> None:
        self._evidence, self._scorer = evidence, scorer
        self._signals, self._signal = evidence.signals, evidence.signal
        self._candidates = list(candidates(evidence, scorer, looks))
        self._scores: dict[tuple[int, int], Score] = {}
        if evidence.whole is not None:
            window = self._candidates[-1]
            self._scores[window.start, window.end] = evidence.whole
            self._candidates[-1] = window._replace(log_p=math.log(evidence.whole.p_value / window.share))
        self._spans = Spans(evidence)

    def best(self) -> Passage:
        """The window with the smallest corrected p-value."""
        window = min(
            heapq.nsmallest(EXACT, self._candidates),
            key=lambda window: self._score(window).p_value / window.share,
        )
        return self._passage(_Extent(window, window.start, window.end, window.start, window.end))

    def best_of_all(self) -> float:
        """The corrected p-value of the whole text if all of it were green: no window's can be smaller."""
        whole = self._candidates[-1]
        return self._scorer.least_p_of(self._signals) / whole.share

    def passages(self, alpha: float) -> tuple[Passage, ...]:
        """Passages whose windows have corrected p-values of at most alpha, in order; they do not overlap.

        For unmarked text the probability that there is any is at most alpha. What is named of a window
        is where its evidence lies, its densest part; the p-value is the window's.
        """
        promising = [window for window in self._candidates if window.log_p <= math.log(alpha)]
        promising.sort(key=lambda window: window.start)
        chosen = self._apart(promising, alpha)
        made: list[_Extent] = []
        last = 0
        for number, core in enumerate(chosen):
            stop = chosen[number + 1].start if number + 1 < len(chosen) else len(self._evidence.positions)
            part = self._painted(core, promising, last, stop, alpha)
            last = part.window_end
            if made and self._goes_on(made[-1], part):
                part = self._joined(made.pop(), part)
            made.append(part)
        return tuple(self._passage(part) for part in made)

    def _goes_on(self, before: _Extent, after: _Extent) -> bool:
        """Whether two parts are one passage: tokens between look marked, too, or are too few to tell."""
        if after.start - before.end < APART:
            return True
        inside, between = slice(before.start, after.end), slice(before.end, after.start)
        return float(self._values(between, self._mean(inside)).sum()) >= 0

    def _joined(self, before: _Extent, after: _Extent) -> _Extent:
        """Both as one part. There is a mark in it if there is in either: its p-value is the smaller one."""
        best = min(before.best, after.best, key=self._corrected)
        return _Extent(best, before.window_start, after.window_end, before.start, after.end)

    def _apart(self, promising: Sequence[Candidate], alpha: float) -> list[Candidate]:
        """Windows that do not overlap, each with an exact corrected p-value of at most alpha."""
        bounds = [(window.start, window.end) for window in promising]
        gains = [math.log(alpha) - window.log_p for window in promising]
        exact: set[int] = set()
        chosen: list[int] = []
        for _ in range(ROUNDS):
            chosen = best_apart(bounds, gains)
            unknown = [n for n in chosen if n not in exact]
            if not unknown:
                break
            for n in unknown:
                if self._corrected(promising[n]) > alpha:
                    gains[n] = 0.0
            exact.update(unknown)
        return [promising[n] for n in chosen if gains[n] > 0 and n in exact]

    def _painted(
        self, core: Candidate, promising: Sequence[Candidate], first: int, stop: int, alpha: float
    ) -> _Extent:
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
            if self._corrected(window) <= alpha:
                return _Extent(window, window.start, window.end, window.start + start, window.start + end)
        return _Extent(core, core.start, core.end, core.start, core.end)

    def _score(self, window: Candidate) -> Score:
        """The scorer's, of the window as a text of its own."""
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

    def _corrected(self, window: Candidate) -> float:
        return min(1.0, max(SMALLEST, self._score(window).p_value / window.share))

    def _passage(self, part: _Extent) -> Passage:
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
            p_value=self._corrected(part.best),
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
        )
