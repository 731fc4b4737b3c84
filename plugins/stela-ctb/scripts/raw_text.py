"""What raw text tells of characters and pairs: the starting values of the embeddings.

A character is described by its neighbours two places either side, a pair by two characters on each side:
counts, positive pointwise mutual information, singular vectors. A pair has four more numbers, which say
whether it is a word or a seam between two: log frequency, mutual information of its two characters, and
the entropies of the next character on its right and left (Sun, Shen & Tsou 1998; Jin & Tanaka-Ishii 2006).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import svds
from stela_causal.code_points import Ids, code_points
from stela_causal.grams import BITS
from stela_corpora.corpus import Corpus
from stela_ctb.characters import alphabet_of

Floats = npt.NDArray[np.float32]
STATISTICS = 4
SPECIAL = ("<outside>", "<han>", "<digit>", "<letter>", "<space>", "<other>")
SPECIAL_PAIRS = ("<outside>", "<unknown>")
"""First rows of tables: nothing, and what the model does not know, by kind."""
FOLDED = alphabet_of([], []).lookups[1].astype(np.int64)
"""What stands for each code point in pairs, (0x110001,)."""


class Start(NamedTuple):
    """What a model knows, most frequent in raw text, and where its embeddings start."""

    chars: list[str]
    char_vectors: Floats
    pairs: list[str]
    pair_vectors: Floats


def read_texts(files: list[Path]) -> str:
    """The ``text`` of all documents of JSON lines (``.jsonl.gz``), parted by line breaks."""
    return "\n\n\n".join(text for path in files for text in Corpus(path))


def describe(text: str, min_char: int, min_pair: int, char_width: int, pair_width: int) -> Start:
    """Characters and pairs seen at least so often, with vectors."""
    points = code_points(text)
    distinct, counts = np.unique(points, return_counts=True)
    chars = distinct[(counts >= min_char) & (FOLDED[distinct] != ord(" "))]
    place = np.minimum(np.searchsorted(chars, points), len(chars) - 1)
    ids = np.where(chars[place] == points, place, len(chars))
    folded = FOLDED[points]
    keys = folded[:-1] << BITS | folded[1:]
    all_keys, inverse, pair_counts = np.unique(keys, return_inverse=True, return_counts=True)
    first, second = all_keys >> BITS, all_keys & ((1 << BITS) - 1)
    chosen = (pair_counts >= min_pair) & (is_han(first) | is_han(second))
    number = np.full(len(all_keys), -1)
    number[chosen] = np.arange(chosen.sum())
    number = number[inverse]
    statistics = _statistics(all_keys, inverse, pair_counts, FOLDED[points], ids)[chosen]
    vectors = _vectors(number, ids, (-2, -1, 2, 3), pair_width - STATISTICS)
    return Start(
        [*SPECIAL, *map(chr, chars.tolist())],
        _vectors(ids, ids, (-2, -1, 1, 2), char_width)[: len(chars)],
        [*SPECIAL_PAIRS, *(chr(a) + chr(b) for a, b in zip(first[chosen], second[chosen], strict=True))],
        np.concatenate([vectors, statistics], axis=1),
    )


def is_han(points: Ids) -> npt.NDArray[np.bool_]:
    """Whether code points are Chinese characters."""
    return ((points >= 0x3400) & (points < 0xA000)) | ((points >= 0x20000) & (points < 0x33480))


def _vectors(rows: Ids, ids: Ids, offsets: tuple[int, ...], width: int) -> Floats:
    """Singular vectors of the mutual information between ``rows`` (-1: none) and ids at offsets."""
    kinds = int(ids.max()) + 1
    places = np.nonzero(rows >= 0)[0]
    left, right = [], []
    for number, offset in enumerate(offsets):
        there = places + offset
        inside = (there >= 0) & (there < len(ids))
        left.append(rows[places[inside]])
        right.append(ids[there[inside]] + kinds * number)
    row, column = np.concatenate(left), np.concatenate(right)
    shape = (int(rows.max()) + 1, kinds * len(offsets))
    counts: Any = (
        sparse.coo_matrix((np.ones(len(row), np.float32), (row, column)), shape=shape).tocsr().tocoo()
    )
    of_rows = np.bincount(row, minlength=shape[0])
    # Smoothed by the power 3/4 (Levy, Goldberg & Dagan 2015).
    of_columns = np.bincount(column, minlength=shape[1]) ** 0.75
    of_columns /= of_columns.sum()
    information = np.log(counts.data / of_rows[counts.row] / of_columns[counts.col])
    kept = information > 0
    matrix = sparse.csr_matrix((information[kept], (counts.row[kept], counts.col[kept])), shape=shape)
    u, s, _ = svds(matrix.astype(np.float32), k=width, v0=np.ones(min(shape), np.float32))
    vectors = u * np.sqrt(s)
    scaled: Floats = (vectors / vectors.std() * 0.3).astype(np.float32)
    return scaled


def _statistics(keys: Ids, inverse: Ids, counts: Ids, folded: Ids, ids: Ids) -> Floats:
    """(pairs, 4) log frequency, mutual information, entropies on the right and left; sd 0.5 each."""
    kinds, of_kinds = np.unique(folded, return_counts=True)
    share = of_kinds / of_kinds.sum()
    first = share[np.searchsorted(kinds, keys >> BITS)]
    second = share[np.searchsorted(kinds, keys & ((1 << BITS) - 1))]
    information = np.log(counts / counts.sum() / first / second)
    right = _entropy(inverse[:-1], ids[2:], len(keys))
    left = _entropy(inverse[1:], ids[:-2], len(keys))
    table = np.stack([np.log(counts), information, right, left], axis=1)
    scaled: Floats = ((table - table.mean(0)) / table.std(0) * 0.5).astype(np.float32)
    return scaled


def _entropy(rows: Ids, ids: Ids, size: int) -> npt.NDArray[np.float64]:
    """Entropy in nats of the ids next to each row, (size,)."""
    kinds = int(ids.max()) + 1
    both, counts = np.unique(rows * kinds + ids, return_counts=True)
    total = np.maximum(np.bincount(both // kinds, weights=counts, minlength=size), 1)
    return np.log(total) - np.bincount(both // kinds, weights=counts * np.log(counts), minlength=size) / total
