"""The statistics of resampled texts, all resamples at once: array arithmetic in place of loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_roc.scores import Floats, Negatives

Indices = npt.NDArray[np.intp]


def counts_of(indices: Indices, count: int) -> npt.NDArray[np.int64]:
    """How often each of ``count`` texts was drawn: (resamples, draws) -> (resamples, count)."""
    rows = len(indices)
    flat = indices + np.arange(rows)[:, None] * count
    return np.bincount(flat.ravel(), minlength=rows * count).reshape(rows, count)


class Resampled:
    """ROC statistics of marked texts and negatives under multiplicities of the texts.

    They are those of scikit-learn on the resampled scores: a threshold flags the scores at or above it,
    the TPR at a false positive rate is the largest at thresholds whose FPR does not exceed it (so scores
    that are tied with a negative that must not be flagged are not flagged either), and ties count half
    in the AUC.

    Args:
        marked: scores of the marked texts, (m,).
        negatives: scores of the others.
        rates: false positive rates.
    """

    def __init__(self, marked: Floats, negatives: Negatives, rates: Sequence[float]) -> None:
        self._negatives = negatives
        self._rates = rates
        self._order = np.argsort(-marked, kind="stable")
        self._marked = marked[self._order]
        by_score = np.argsort(-negatives.scores, kind="stable")
        self._text = negatives.texts[by_score]
        scores = negatives.scores[by_score]
        # Last place of each distinct negative score, and the marked scores strictly above it.
        self._last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
        self._above = np.searchsorted(-self._marked, -scores[self._last], side="left")
        # For each marked score: the last marked score tied with it, and the negatives at or above it.
        self._tied = np.searchsorted(-self._marked, -self._marked, side="right") - 1
        self._flagged = np.searchsorted(-scores, -self._marked, side="right")
        self._wins = self._pairs_won(marked)

    def _pairs_won(self, marked: Floats) -> Floats:
        """For each marked text and negative text, of the latter's scores those below (ties: half)."""
        scores = np.sort(self._negatives.scores)
        order = np.argsort(self._negatives.scores, kind="stable")
        texts = np.zeros((len(scores) + 1, self._negatives.count))
        texts[np.arange(1, len(scores) + 1), self._negatives.texts[order]] = 1
        seen = texts.cumsum(axis=0)
        below = np.searchsorted(scores, marked, side="left")
        upto = np.searchsorted(scores, marked, side="right")
        won: Floats = (seen[below] + seen[upto]) / 2
        return won

    def __call__(self, marked: Indices, negatives: Indices) -> Floats:
        """Resampled statistics.

        Args:
            marked: indices of marked texts, (resamples, m).
            negatives: indices of negative texts, (resamples, texts).

        Returns:
            (len(rates) + 2, resamples): TPR at each rate, AUC, best F1 at prevalence 1/2.
        """
        weights = counts_of(marked, len(self._marked))
        texts = counts_of(negatives, self._negatives.count)
        sizes = np.bincount(self._negatives.texts, minlength=self._negatives.count)
        total = texts @ sizes
        hits = self._cumulated(weights[:, self._order])
        alarms = self._cumulated(texts[:, self._text])
        fpr = alarms[:, self._last + 1] / total[:, None]
        rows = np.arange(len(weights))
        found = []
        for rate in self._rates:
            # The first distinct negative score that must not be flagged; the rate of all is 1 > rate.
            first = np.argmax(fpr > rate, axis=1)
            found.append(hits[rows, self._above[first]] / len(self._marked))
        wins = np.einsum("rm,rm->r", weights @ self._wins, texts) / (len(self._marked) * total)
        tpr = hits[:, self._tied + 1] / len(self._marked)
        false = alarms[:, self._flagged] / total[:, None]
        best = (2 * tpr / (1 + tpr + false)).max(axis=1)
        return np.stack([*found, wins, best])

    @staticmethod
    def _cumulated(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Sums of the first 0, 1, 2, ... columns."""
        sums = np.zeros((len(counts), counts.shape[1] + 1), dtype=np.int64)
        np.cumsum(counts, axis=1, out=sums[:, 1:])
        return sums
