"""Endings of the word so far, at each place of a text, as buckets of a table; importing this needs numba."""

from __future__ import annotations

import numpy as np

from stela_causal.code_points import Ids
from stela_causal.convolution import compiled
from stela_causal.layers import Flags

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4)."""
HALF = np.uint64(32)


@compiled
def endings_at(folded: Ids, space: Flags, place: int, first: int, lengths: Ids, bits: int, out: Ids) -> None:
    """Put the buckets (lengths,) of one place of a text that begins at ``first`` into ``out``."""
    shift = np.uint64(64 - bits)
    key = np.uint64(1)
    which = 0
    for back in range(lengths[-1]):
        there = place - back
        begins = there < first or space[there]
        point = np.uint64(32) if begins else np.uint64(folded[there])
        key = (key ^ point) * MULTIPLIER
        key ^= key >> HALF
        if back + 1 == lengths[which]:
            out[which] = np.int64((key * MULTIPLIER) >> shift)
            which += 1
        if begins:
            break
    for rest in range(which, len(lengths)):
        out[rest] = np.int64((key * MULTIPLIER) >> shift)


@compiled
def endings(folded: Ids, space: Flags, lengths: Ids, bits: int) -> Ids:
    """(n, lengths) buckets of the last characters up to each place, back to white space at most.

    The white space before a word counts as a character of it, and so does the start of a text: that a word
    begins there is part of the ending.

    Args:
        folded: (n,) code points, folded.
        space: (n,) white space and gaps.
        lengths: (lengths,) ascending.
        bits: 2**bits buckets.
    """
    buckets = np.zeros((len(folded), len(lengths)), np.int64)
    for place in range(len(folded)):
        endings_at(folded, space, place, 0, lengths, bits, buckets[place])
    return buckets
