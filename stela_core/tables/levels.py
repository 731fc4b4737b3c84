"""lambda of every context of one length, and the counts of the contexts one tag shorter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stela_core.statistics.entropy import normalised_entropies, segment_entropies
from stela_core.tables.counts import Codes, CorpusCounts, row_keys

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
