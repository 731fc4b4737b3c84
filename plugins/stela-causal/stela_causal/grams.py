"""The last two or three characters up to each place of a text, white space or not, as rows of a table.

A key holds the folded code points, 21 bits each. Its row is a bucket of it (multiplicative hashing; Knuth,
The Art of Computer Programming 3, 6.4) or, where a model lists the pairs that it knows, that of the pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_causal.code_points import OUTSIDE, Ids

Keys = npt.NDArray[np.uint64]

BITS = 21
"""A code point fits in 21 bits, and three of them in 63."""
LONGEST = 3
SHIFT = np.uint64(BITS)
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio."""


def keys_of(points: Ids) -> tuple[Keys, Ids]:
    """Keys of pairs from their code points (2 n,), ascending, with a greater one last; the row of each.

    Row 0 is for pairs that are not known. The greater key is nobody's, so its row is never read.
    """
    keys = points[::2].astype(np.uint64) << SHIFT | points[1::2].astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    last = np.array([np.iinfo(np.uint64).max], np.uint64)
    return np.concatenate([keys[order], last]), np.concatenate([order + 1, [0]]).astype(np.int64)


def grams(folded: Ids, lengths: Sequence[int], bits: int, pairs: Keys, rows: Ids) -> Ids:
    """(n, lengths) rows of the last characters up to each place; ``OUTSIDE`` stands before the first.

    Args:
        folded: (n,) code points, folded; ``OUTSIDE`` between texts, at least two for three characters.
        lengths: ascending, at most ``LONGEST``.
        bits: 2**bits buckets; not read where pairs are known.
        pairs: keys of known pairs as of :func:`keys_of`; only the last one: buckets.
        rows: of these.
    """
    longest = lengths[-1]
    padded = np.concatenate([np.full(longest - 1, OUTSIDE), folded]).astype(np.uint64)
    out = np.zeros((len(folded), len(lengths)), np.int64)
    for which, length in enumerate(lengths):
        key = np.zeros(len(folded), np.uint64)
        for back in range(length - 1, -1, -1):
            first = longest - 1 - back
            key = key << SHIFT | padded[first : first + len(folded)]
        if len(pairs) > 1:
            at = np.searchsorted(pairs, key)
            out[:, which] = np.where(pairs[at] == key, rows[at], 0)
        else:
            out[:, which] = (key * MULTIPLIER) >> np.uint64(64 - bits)
    return out
