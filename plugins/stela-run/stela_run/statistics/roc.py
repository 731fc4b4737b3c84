"""Detection rates of marked texts against unmarked ones: TPR at a false positive rate, AUC and F1.

Definitions are scikit-learn's (``roc_curve`` with all its points, ``roc_auc_score``, ``f1_score``): a
threshold flags the scores at or above it; the TPR at a false positive rate is the largest at thresholds
whose FPR does not exceed it, so scores tied with a negative that must not be flagged are not flagged
either; in the AUC ties count half; F1 is the best over all thresholds, at prevalence 1/2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_run.statistics.bootstrap import Counts, Floats, Indices, counts_of

AT_ONCE = 2_000_000
"""Tests x resamples worked on at once, at some 50 bytes each: it bounds memory, and changes no value."""


def scores_of(p_values: Iterable[float] | Floats) -> Floats:
    """``-log10`` of each p-value, (n,): one number that grows with the evidence.

    Not z: texts differ in their number of coins and in the spread of their weights, so equal z's are
    not equal evidence, and the p-value, not z, is what ``stela detect`` compares with alpha.
    """
    numbers = np.asarray(p_values if isinstance(p_values, np.ndarray) else list(p_values), dtype=np.float64)
    return -np.log10(np.maximum(numbers, np.finfo(np.float64).tiny))


def tells(tests: int, rate: float) -> bool:
    """Whether ``tests`` tests of negatives can tell a false positive rate: fewer than 1 / rate cannot."""
    # The rate as 1 / n is a rounded one: 1 / 0.001 is 1000.
    return tests >= round(1 / rate, 6)


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of the tests of some texts; the tests of one text stand together."""

    scores: Floats
    """(tests,), all texts'."""
    texts: npt.NDArray[np.intp]
    """(tests,), index of the text of each."""
    count: int
    """Number of texts."""

    @classmethod
    def of_texts(cls, rows: Sequence[Floats]) -> Scores:
        """The scores of texts, from those of each text; texts without any are left out."""
        rows = [row for row in rows if len(row)]
        scores = np.concatenate(rows) if rows else np.empty(0)
        return cls(scores, np.repeat(np.arange(len(rows)), [len(row) for row in rows]), len(rows))

    @classmethod
    def single(cls, scores: Floats) -> Scores:
        """The scores of texts with one test each, (texts,)."""
        return cls(scores, np.arange(len(scores)), len(scores))

    def descending(self) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Scores from the highest down, and the text of each."""
        order = np.argsort(-self.scores, kind="stable")
        return self.scores[order], self.texts[order]


class Roc:
    """The rates of marked texts and negatives, of the texts as they are and of texts drawn anew.

    Args:
        marked: of the marked texts, at least one.
        negatives: of the others, at least one.
        rates: false positive rates, in [0, 1).
    """

    def __init__(self, marked: Scores, negatives: Scores, rates: Sequence[float] = ()) -> None:
        self._sides = (marked, negatives)
        self._sizes = [np.bincount(side.texts, minlength=side.count) for side in self._sides]
        self._rates = rates
        scores, self._marked_text = marked.descending()
        others, self._negative_text = negatives.descending()
        # Last place of each distinct negative score, and the marked scores strictly above it.
        self._last = np.flatnonzero(np.append(others[1:] != others[:-1], True))
        self._above = np.searchsorted(-scores, -others[self._last], side="left")
        # For each marked score: the last one tied with it, the negatives at or above it, and above it.
        self._tied = np.searchsorted(-scores, -scores, side="right") - 1
        self._flagged = np.searchsorted(-others, -scores, side="right")
        self._lost = np.searchsorted(-others, -scores, side="left")

    def values(self) -> Floats:
        """(len(rates) + 2,): TPR at each rate, AUC, best F1."""
        as_drawn: Floats = self(*(np.arange(side.count)[None] for side in self._sides))[:, 0]
        return as_drawn

    def __call__(self, marked: Indices, negatives: Indices) -> Floats:
        """The same of texts drawn anew, all resamples at once.

        Args:
            marked: indices of marked texts, (resamples, draws).
            negatives: indices of negative texts, (resamples, draws).

        Returns:
            (len(rates) + 2, resamples).
        """
        rows = max(1, AT_ONCE // sum(len(side.scores) for side in self._sides))
        starts = range(0, len(marked), rows)
        parts = [self._of(marked[start : start + rows], negatives[start : start + rows]) for start in starts]
        return np.concatenate(parts, axis=1)

    def _of(self, marked: Indices, negatives: Indices) -> Floats:
        weights = counts_of(marked, self._sides[0].count)
        texts = counts_of(negatives, self._sides[1].count)
        all_marked, all_negative = weights @ self._sizes[0], texts @ self._sizes[1]
        tests = weights[:, self._marked_text]
        hits = _cumulated(tests)
        alarms = _cumulated(texts[:, self._negative_text])
        fpr = alarms[:, self._last + 1] / all_negative[:, None]
        rows = np.arange(len(weights))
        at_rates = []
        for rate in self._rates:
            # The first distinct negative score that must not be flagged; the rate of all is 1 > rate.
            first = np.argmax(fpr > rate, axis=1)
            at_rates.append(hits[rows, self._above[first]] / all_marked)
        flagged = alarms[:, self._flagged]
        # Twice the pairs won, in whole numbers: a negative test below a marked one counts 2, a tied one 1.
        twice = 2 * all_negative[:, None] - flagged - alarms[:, self._lost]
        auc = np.einsum("rm,rm->r", tests, twice) / 2 / (all_marked * all_negative)
        tpr = hits[:, self._tied + 1] / all_marked[:, None]
        false = flagged / all_negative[:, None]
        best = (2 * tpr / (1 + tpr + false)).max(axis=1)
        return np.stack([*at_rates, auc, best])


def curve(marked: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """False and true positive rates at each threshold, (n,) each, from (0, 0) to (1, 1).

    Args:
        marked: scores of marked texts, at least one.
        negatives: scores of the others, at least one.
    """
    thresholds = np.unique(np.concatenate([marked, negatives]))[::-1]
    rates = [
        1 - np.searchsorted(np.sort(side), thresholds, side="left") / len(side)
        for side in (negatives, marked)
    ]
    return np.append(0.0, rates[0]), np.append(0.0, rates[1])


def _cumulated(counts: Counts) -> Counts:
    """Sums of the first 0, 1, 2, ... columns."""
    sums = np.zeros((len(counts), counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, out=sums[:, 1:])
    return sums
