"""A language model of pairs over any tokenizer's ids: for tokenizers whose models are not at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SHARE = 0.1
"""Of the unigram: what makes it write pairs that no human text holds, as a weak model does."""

Floats = npt.NDArray[np.float64]


class PairModel:
    """P(v | u) = (1 - s) n(u, v) / n(u) + s n(v) / n, estimated on human text.

    With s = 0 all its pairs are human ones, which a tokenizer made, and nearly all come back.

    Args:
        rows: token ids of human text.
        size: ids that there are.
    """

    def __init__(self, rows: Sequence[Sequence[int]], size: int) -> None:
        flat = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
        self._unigram = np.bincount(flat, minlength=size) / len(flat)
        pairs = np.concatenate(
            [np.asarray(row[:-1], dtype=np.int64) * size + np.asarray(row[1:]) for row in rows]
        )
        distinct, counts = np.unique(pairs, return_counts=True)
        first, self._second, self._counts = distinct // size, distinct % size, counts
        self._from = np.searchsorted(first, np.arange(size + 1))

    def logits(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """Logits of the next id, (size,)."""
        probability = self._unigram
        if ids:
            part = slice(self._from[ids[-1]], self._from[ids[-1] + 1])
            probability = SHARE * probability
            total = self._counts[part].sum()
            if total:
                probability[self._second[part]] += (1 - SHARE) * self._counts[part] / total
        with np.errstate(divide="ignore"):
            logits: npt.NDArray[np.float32] = np.log(probability).astype(np.float32)
        return logits
