"""Compiled passes of ``decoding.py``; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from stela_kernels.passes import compile_kept

u4, i4 = np.uint32, np.int32

HEADS = 1 << 12
"""Number of chains of triples."""

BIT = (1 << np.arange(8)).astype(np.uint8)


@compile_kept
def pairs_above(one: Any, other: Any, least: float) -> Any:
    """How many sums of a score of each list, sorted from the best down, are at least so large."""
    count, y = 0, len(other)
    for x in range(len(one)):
        while y > 0 and one[x] + other[y - 1] < least:
            y -= 1
        if y == 0:
            break
        count += y
    return count


@compile_kept
def walk_pairs(
    one: Any, other: Any, ours: Any, theirs: Any, rows: Any, most: Any, ends: Any, least: float, best: float
) -> tuple[Any, Any, Any]:
    """The best codeword of all pairs of symbols at two places whose scores sum to at least so much.

    Args:
        one: scores at the first place, from the best down, (a,).
        other: at the second, (b,).
        ours: what each symbol at the first place gives at the n - 2 other places, (a, n - 2).
        theirs: at the second, (b, n - 2); ``^`` of the two is the symbol there.
        rows: scores at the other places, (n - 2, values).
        most: the largest sum that the last of these places can still add, (n - 1,).
        ends: for each symbol at the first place, how many pairs were walked before; changed, (a,).
        least: sum of a pair.
        best: sum of the best codeword before.

    Returns:
        The sum of the best codeword, and its symbols' places in the two lists; -1 where none is better.
    """
    top, at_one, at_other = best, -1, -1
    for x in range(len(one)):
        if one[x] + other[0] < least:
            break
        y = ends[x]
        while y < len(other) and one[x] + other[y] >= least:
            total = one[x] + other[y]
            for place in range(rows.shape[0]):
                total += rows[place, ours[x, place] ^ theirs[y, place]]
                if total + most[place + 1] <= top:
                    total = -np.inf
                    break
            if total > top:
                top, at_one, at_other = total, x, y
            y += 1
        ends[x] = y
    return top, at_one, at_other


@numba.njit(inline="always")
def _parity(own: Any, ranks: Any, t: int) -> Any:
    return u4(own[0, ranks[t, 0]] ^ own[1, ranks[t, 1]] ^ own[2, ranks[t, 2]])


@compile_kept
def equal_parities(ranks: Any, first: Any, second: Any, seen: Any, also: Any) -> tuple[Any, Any]:
    """The triples of equal parity: numbers in ``ranks`` of those of the first three places, and of the
    others.

    Args:
        ranks: of the symbols of a triple, (t, 3).
        first: parity of each symbol at the first three places, by rank, (3, r).
        second: at the others, (3, r).
        seen: room for marks by the lower bits of a parity, a power of 2 bytes.
        also: as much room.
    """
    count, mask = len(ranks), u4(8 * len(seen) - 1)
    seen[:] = 0
    also[:] = 0
    for t in range(count):
        own = _parity(first, ranks, t) & mask
        seen[own >> 3] |= BIT[own & 7]
    # Of the second triples those whose mark is there, and of the first ones those whose mark these have.
    theirs = np.empty(count, dtype=np.int64)
    more = 0
    for t in range(count):
        own = _parity(second, ranks, t) & mask
        if seen[own >> 3] & BIT[own & 7]:
            also[own >> 3] |= BIT[own & 7]
            theirs[more] = t
            more += 1
    after, heads = np.empty(count, dtype=np.int32), np.full(HEADS, -1, dtype=np.int32)
    for t in range(count - 1, -1, -1):
        own = _parity(first, ranks, t)
        at = own & mask
        if also[at >> 3] & BIT[at & 7]:
            after[t] = heads[own & u4(HEADS - 1)]
            heads[own & u4(HEADS - 1)] = t
    pairs = [(i4(0), i4(0)) for _ in range(0)]
    for u in theirs[:more]:
        own = _parity(second, ranks, u)
        t = heads[own & u4(HEADS - 1)]
        while t >= 0:
            if _parity(first, ranks, t) == own:
                pairs.append((t, u))
            t = after[t]
    out = np.empty((2, len(pairs)), dtype=np.int64)
    for i in range(len(pairs)):
        out[0, i], out[1, i] = pairs[i]
    return out[0], out[1]
