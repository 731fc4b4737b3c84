"""Whether a message may be shown where a text may hold several, whose codes share no byte at its place.

Let a text hold codes c_1, ..., c_k (``permutation.py``), mixed in any way. Call a block of another code c'
*free* where its value is none of theirs: under it the block's tokens draw as unmarked text does, so the sum
over any set D of free blocks has the exact tail p(c', D). The blocks that are not free form A runs round the
ring. Neighbouring blocks share a byte, so all bytes of a run are of one of the k codes, and different runs
have no byte in common: there are at most ``N(D) = k**A 256**(|D| - A)`` such c' whose free blocks are D. No
c' but the codes themselves has fewer than two free blocks.

The message of c' is shown where ``sets N(D) p(c', D) <= a`` holds for each D of two blocks or more, of which
there are ``sets = 2**S - S - 1``. If c' were none of the codes, the D of c' would be among them; by the union
bound::

    P(there is a c' that is shown, and is none of the codes)
      <= sum over D, sum over c' of a / (sets N(D)) <= a
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

SEVERAL = 16
"""Messages that a passage may hold, k: none of 32 tokens or more holds as many that could be read."""

Set = int
"""Of blocks: bit n is the nth."""


def runs_of(free: Set, count: int) -> int:
    """How many runs the blocks form that are not free, A, of S in a ring."""
    after = free >> 1 | (free & 1) << count - 1  # bit n: whether block n + 1 is free
    return (free & ~after).bit_count()


@cache
def free_sets(count: int) -> tuple[tuple[Set, float], ...]:
    """Of S blocks, each set D of two or more, and ``sets N(D)``."""
    made, sets = [], 2.0**count - count - 1
    for free in range(1, 1 << count):
        if (size := free.bit_count()) > 1:
            runs = runs_of(free, count)
            made.append((free, sets * float(SEVERAL) ** runs * 256.0 ** (size - runs)))
    return tuple(made)


def error_among_several(tail: Callable[[Set], float], count: int, issued: int | None = None) -> float:
    """A bound on the probability of showing a message that is none of the text's.

    Args:
        tail: the p-value of the message over the tokens of some blocks.
        count: bytes of a code, and blocks, S, at least 3.
        issued: how many messages there are, where not all are possible: not more are counted for any D.
    """
    sets = 2.0**count - count - 1
    most = float("inf") if issued is None else sets * issued
    return min(1.0, max(min(number, most) * tail(free) for free, number in free_sets(count)))
