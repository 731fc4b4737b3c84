"""Endings of the word or the text so far, as rows of a table, compiled; importing this needs numba."""

from __future__ import annotations

import numpy as np

from stela_causal.code_points import OUTSIDE, Ids
from stela_causal.convolution import compiled
from stela_causal.grams import MULTIPLIER, SHIFT, Keys
from stela_causal.layers import Flags

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


@compiled
def grams_at(
    folded: Ids, place: int, first: int, lengths: Ids, bits: int, pairs: Keys, rows: Ids, out: Ids
) -> None:
    """Put what :func:`.grams` has at one place of a text that begins at ``first`` into ``out`` (lengths,)."""
    for which in range(len(lengths)):
        key = np.uint64(0)
        for there in range(place - lengths[which] + 1, place + 1):
            point = np.uint64(folded[there]) if there >= first else np.uint64(OUTSIDE)
            key = key << SHIFT | point
        if len(pairs) > 1:
            at = np.searchsorted(pairs, key)
            out[which] = rows[at] if pairs[at] == key else 0
        else:
            out[which] = np.int64((key * MULTIPLIER) >> np.uint64(64 - bits))
