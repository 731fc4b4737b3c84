"""Bounds on the probability of naming another message than the one in the text.

Let a text be marked with message m, in any way. Under every other value of a block its tokens draw as
unmarked text does: the model saw none of these draws. So where m' differs from m in the bytes E, and thus in
the blocks D(E) that hold one of them, the sum over the tokens of D(E) under m' has the exact tail
p(m', D(E)). There are at most N(E) such m': 255**|E|, and no more than were issued. Naming m'
only where ``sets N(E) p(m', D(E)) <= a`` for each of the 2**S - 1 sets E has by the union bound a probability
of at most a, for all m' together::

    P(there is an m' != m that is named) <= sum over E, sum over m' of a / (sets N(E)) = a

A byte's bound is the largest of those of the sets that hold it: P(a byte is shown and is wrong) <= a. The
message m itself need not have been issued.

Where a text holds two messages, one m' of bytes of both differs from both in no more than the two blocks
where one goes over into the other: each pair of blocks is tested, too. Each has two such m', S (S - 1) in
all, issued or not. This asks that the two messages share no byte; of 32 random bits 1.6 % of pairs do. An m'
with bytes E of neither, and each other byte of either, is one of ``2**(S - |E|) 255**|E|``, free in the
blocks D(E): over all E they add ``a (3**S - 2**S) / sets``. So what is proved for two messages is a bound of
``(3/2)**S a``; ``several`` proves a for passages, and finds less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

OTHERS = 255
"""Other values of a byte."""

TailOf = Callable[[int], float]
"""The p-value of the message over the tokens of some blocks, a set of bits."""


def byte_errors(tail: TailOf, count: int, issued: int | None = None) -> tuple[list[float], float]:
    """For each of S bytes a bound on reading it wrongly, and one on naming another message.

    Args:
        tail: of the message that was read.
        count: bytes, and blocks, at least 3.
        issued: how many messages there are, where not all are possible.
    """
    tail = cache(tail)
    errors = [0.0] * count
    sets = (1 << count) - 1
    for chosen in range(1, sets + 1):
        blocks = chosen | chosen >> 1 | (chosen & 1) << count - 1  # byte n is in blocks n and n - 1
        others = float(OTHERS) ** chosen.bit_count()
        if issued is not None:
            others = min(others, issued)
        error = min(1.0, sets * others * tail(blocks))
        for byte in range(count):
            if chosen >> byte & 1:
                errors[byte] = max(errors[byte], error)
    pairs = max(tail(1 << i | 1 << j) for i, j in combinations(range(count), 2))
    return errors, max(*errors, min(1.0, count * (count - 1) * pairs))
