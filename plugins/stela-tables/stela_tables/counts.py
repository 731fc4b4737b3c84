"""Counts of tag n-grams, one set for each corpus, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ngram = tuple[str, ...]
Codes = npt.NDArray[np.int64]

MAX_KEY = 2**62


class TaggerIdentity(NamedTuple):
    """Which tagger gave the tags."""

    name: str
    model: str
    version: str
    fingerprint: str
    tagset: str = ""
    language: str = ""


TREEBANK = "treebank"
"""Name of the tagger in a treebank's table."""


@dataclass(frozen=True, slots=True, eq=False)
class CorpusCounts:
    """The k-grams of one corpus."""

    name: str
    documents: int
    """Number of documents read."""
    tags: int
    """Number of tags seen in them."""
    ngrams: Codes
    """Distinct k-grams (n, k) as indices into the table's tags, sorted by row."""
    counts: Codes
    """How often each was seen (n,), at least 1."""


class NgramCounts(NamedTuple):
    """The k-grams of one corpus by tag names: what a build gathers."""

    documents: int
    tags: int
    counts: Mapping[Ngram, int]


def tags_of(corpora: Iterable[Mapping[Ngram, int]]) -> tuple[str, ...]:
    """All tags that occur, sorted."""
    return tuple(sorted({tag for counts in corpora for ngram in counts for tag in ngram}))


def encode_corpus(name: str, corpus: NgramCounts, k: int, tags: Sequence[str]) -> CorpusCounts:
    """Counts by tag names to arrays; ``tags`` holds every tag of the corpus."""
    codes = {tag: code for code, tag in enumerate(tags)}
    size = len(corpus.counts)
    flat = chain.from_iterable(corpus.counts)
    rows = np.fromiter((codes[tag] for tag in flat), np.int64, size * k).reshape(size, k)
    counts = np.fromiter(corpus.counts.values(), np.int64, size)
    order = np.argsort(row_keys(rows, len(tags)), kind="stable")
    return CorpusCounts(name, corpus.documents, corpus.tags, rows[order], counts[order])


def decode_corpus(corpus: CorpusCounts, tags: Sequence[str]) -> dict[Ngram, int]:
    """The reverse of :func:`encode_corpus`."""
    rows: list[list[int]] = corpus.ngrams.tolist()
    return {
        tuple(tags[code] for code in row): count
        for row, count in zip(rows, corpus.counts.tolist(), strict=True)
    }


def row_keys(rows: Codes, size: int) -> Codes:
    """One integer per row (n,), equal where rows are equal and ordered as they are.

    Args:
        rows: (n, width), entries in ``0 .. size - 1``.
        size: number of tags; keys are ranked anew where ``size ** width`` would overflow.
    """
    keys = np.zeros(len(rows), dtype=np.int64)
    span = 1
    for column in rows.T:
        if span * size >= MAX_KEY:
            unique, keys = np.unique(keys, return_inverse=True)
            span = len(unique)
        keys = keys * size + column
        span *= size
    return keys
