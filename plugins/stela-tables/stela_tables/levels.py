"""lambda of every context of one length, and the counts of the contexts one tag shorter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_tables.counts import Codes, CorpusCounts, row_keys

Floats = npt.NDArray[np.float64]

DECIMALS = 12
"""lambda is rounded, so that it is the same number wherever ``log`` differs in its last bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Ngrams:
    """n-grams of all corpora stacked: rows (n, width), and for each its corpus and its count (n,)."""

    rows: Codes
    corpus: Codes
    counts: Codes

    @classmethod
    def of(cls, corpora: tuple[CorpusCounts, ...], k: int) -> Ngrams:
        """Stack the k-grams of the corpora."""
        return cls(
            np.concatenate([np.zeros((0, k), np.int64), *(c.ngrams for c in corpora)]),
            np.repeat(np.arange(len(corpora)), [len(c.counts) for c in corpora]),
            np.concatenate([np.zeros(0, np.int64), *(c.counts for c in corpora)]),
        )

    def shorten(self, size: int) -> Ngrams:
        """Marginal counts: the first tag summed out, corpus by corpus."""
        keyed = np.column_stack([self.corpus, self.rows[:, 1:]])
        keys = row_keys(keyed, max(size, int(self.corpus.max(initial=0)) + 1))
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.zeros(len(first), np.int64)
        np.add.at(counts, inverse, self.counts)
        return Ngrams(self.rows[first, 1:], self.corpus[first], counts)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Contexts (m, length), sorted, with lambda (m,), entropy in nats (m,) and pooled counts (m,)."""

    contexts: Codes
    lambdas: npt.NDArray[np.float64]
    entropies: npt.NDArray[np.float64]
    counts: npt.NDArray[np.float64]


def level_of(ngrams: Ngrams, size: int) -> Level:
    """``lambda(c) = H(P(. | c)) / log K_c`` (Park et al. 2026, section 4; 0 where ``K_c`` = 1).

    ``P(. | c)`` is the mean of the conditional probabilities of the corpora that saw c; ``K_c`` is
    the number of distinct tags seen after c in any of them.
    """
    keys = row_keys(ngrams.rows[:, :-1], size)
    _, first, context = np.unique(keys, return_index=True, return_inverse=True)
    contexts = len(first)
    corpora = int(ngrams.corpus.max(initial=-1)) + 1
    cell = ngrams.corpus * contexts + context
    totals = sums(cell, ngrams.counts.astype(np.float64), corpora * contexts)
    seen_by = (totals.reshape(corpora, contexts) > 0).sum(axis=0)
    shares = ngrams.counts / totals[cell] / seen_by[context]
    pairs, inverse = np.unique(context * size + ngrams.rows[:, -1], return_inverse=True)
    probabilities = sums(inverse, shares, len(pairs))
    starts = np.searchsorted(pairs // size, np.arange(contexts))
    lambdas: Floats = normalised_entropies(probabilities, starts)
    return Level(
        ngrams.rows[first, :-1],
        lambdas.round(DECIMALS),
        np.maximum(segment_entropies(probabilities, starts), 0.0).round(DECIMALS),
        totals.reshape(corpora, contexts).sum(axis=0),
    )


def sums(groups: Codes, values: Floats, size: int) -> Floats:
    """Sum of the values (n,) of each group number (n,): (size,)."""
    totals = np.zeros(size)
    np.add.at(totals, groups, values)
    return totals


def segment_entropies(
    probabilities: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Shannon entropies (nats) of distributions laid end to end.

    Args:
        probabilities: (n,), each above 0; the segments sum to 1.
        starts: (m,), ascending, the first is 0: segment i is ``probabilities[starts[i]:starts[i + 1]]``.

    Returns:
        (m,): ``H_i = - sum p log p`` over segment i.
    """
    if len(starts) == 0:
        return np.zeros(0)
    return -np.add.reduceat(probabilities * np.log(probabilities), starts)


def normalised_entropies(
    probabilities: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Entropies divided by the largest possible: ``H_i / log K_i`` in [0, 1] (Park et al. 2026, section 4).

    ``K_i`` is the length of segment i, the number of outcomes seen; the value is 0 where it is 1.
    Arguments as for :func:`segment_entropies`.
    """
    sizes = np.diff(np.append(starts, len(probabilities)))
    entropies = segment_entropies(probabilities, starts)
    free = sizes > 1
    shares = np.zeros(len(starts))
    shares[free] = entropies[free] / np.log(sizes[free])
    # Rounding errors of a uniform distribution may pass 1.
    return np.clip(shares, 0.0, 1.0)
