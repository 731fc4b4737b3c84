"""What of a message may be shown where a text may hold several, no two of which share a byte at its place.

Let a text hold messages m_1, ..., m_k, mixed in any way. Call a block of another message m' *free* where its
value is none of theirs: under it the block's tokens draw as unmarked text does, so the sum over any set D of
free blocks has the exact tail p(m', D). The blocks that are not free form A runs round the ring. Neighbouring
blocks share a byte, so all bytes of a run are of one of the k messages, and different runs have no byte in
common: there are at most ``N(D) = k**A 256**(|D| - A)`` such m' whose free blocks are D. No m' but the
messages themselves has fewer than two free blocks.

Some bytes B of m' are shown where ``sets N(D) p(m', D) <= a`` holds for each D of two blocks or more, of
which there are ``sets = 2**S - S - 1``, under which B would not lie in one run. If B were not bytes of one of
the messages, the D of m' would be among them; by the union bound::

    P(there is an m' of which B is shown, and B is of none of the messages)
      <= sum over D, sum over m' of a / (sets N(D)) <= a

So neither a wrong byte is shown, nor bytes of two messages as if they were one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

SEVERAL = 16
"""Messages that a passage may hold, k: none of 32 tokens or more holds as many that could be read."""

Set = int
"""Of blocks or of bytes: bit n is the nth."""


def runs_of(free: Set, count: int) -> list[Set]:
    """The bytes of each run of blocks that are not free, of S in a ring; block n is bytes n and n + 1.

    Args:
        free: at least one block.
        count: S.
    """
    begin = next(n for n in range(count) if free >> n & 1)
    runs, own = [], 0
    for step in range(1, count + 1):
        block = (begin + step) % count
        if not free >> block & 1:
            own |= 1 << block | 1 << (block + 1) % count
        elif own:
            runs.append(own)
            own = 0
    return runs


@cache
def free_sets(count: int) -> tuple[tuple[Set, tuple[Set, ...], float], ...]:
    """Of S blocks, each set D of two or more: D, the bytes of its runs, and ``sets N(D)``."""
    made, sets = [], 2.0**count - count - 1
    for free in range(1, 1 << count):
        if free.bit_count() > 1:
            runs = runs_of(free, count)
            messages = float(SEVERAL) ** len(runs) * 256.0 ** (free.bit_count() - len(runs))
            made.append((free, tuple(runs), sets * messages))
    return tuple(made)


def shown_bytes(
    tail: Callable[[Set], float], count: int, most: float, times: float, issued: int | None = None
) -> tuple[Set, float]:
    """Which bytes may be shown, as many as possible, and the bound on their being of no message.

    Args:
        tail: the p-value of the message over the tokens of some blocks.
        count: bytes, and blocks, S, at least 3.
        most: largest bound at which bytes are shown.
        times: what bounds are multiplied by.
        issued: how many messages there are, where not all are possible: not more are counted for any D.

    Returns:
        No byte, and 1, where none may be shown.
    """
    sets = 2.0**count - count - 1
    bounds = [
        (runs, min(1.0, times * (number if issued is None else min(number, sets * issued)) * tail(free)))
        for free, runs, number in free_sets(count)
    ]
    shown = {(1 << count) - 1}
    for runs, bound in bounds:
        if bound > most:  # what is shown has to lie in one run
            shown = {part & run for part in shown for run in runs}
    errors = [
        (
            -part.bit_count(),
            max(bound for runs, bound in bounds if not any(part & ~run == 0 for run in runs)),
            part,
        )
        for part in shown
        if part
    ]
    if not errors:
        return 0, 1.0
    _, error, part = min(errors)
    return part, error
