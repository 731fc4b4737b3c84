"""A bound on the probability of naming another message than the one in the text.

Messages are distinguished by their codes (``permutation.py``): each code is that of one message, under the
mark's key, so what is proved of codes holds for messages. Let a text be marked with code c, in any way. Under
every other value of a block its tokens draw as unmarked text does: the model saw none of these draws. So
where c' differs from c in the bytes E, and thus in the blocks D(E) that hold one of them, the sum over the
tokens of D(E) under c' has the exact tail p(c', D(E)). There are at most N(E) such c': 255**|E|, and no more
than were issued. Naming c' only where ``sets N(E) p(c', D(E)) <= a`` for each of the 2**S - 1 sets E has by
the union bound a probability of at most a, for all c' together::

    P(there is a c' != c that is named) <= sum over E, sum over c' of a / (sets N(E)) = a

The message of c itself need not have been issued.

Where a text holds two codes, one c' of bytes of both differs from both in no more than the two blocks where
one goes over into the other: each pair of blocks is tested, too. Each has two such c', S (S - 1) in all,
issued or not. This asks that the two codes share no byte. Whatever the messages are, the permutation makes
their codes two random ones, and of 32 random bits 1.6 % of pairs share a byte, of 64 bits 3.1 %: this part is
not proved. A c' with bytes E of neither, and each other byte of either, is one of ``2**(S - |E|) 255**|E|``,
free in the blocks D(E): over all E they add ``a (3**S - 2**S) / sets``. So what is proved for two codes that
share no byte is a bound of ``(3/2)**S a``; ``several`` proves a for passages, and finds less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

OTHERS = 255
"""Other values of a byte."""

TailOf = Callable[[int], float]
"""The p-value of the message over the tokens of some blocks, a set of bits."""


def error_of(tail: TailOf, count: int, issued: int | None = None) -> float:
    """A bound on the probability of naming another message.

    Args:
        tail: of the message that was read.
        count: bytes of a code, and blocks, S, at least 3.
        issued: how many messages there are, where not all are possible.
    """
    tail = cache(tail)
    sets = (1 << count) - 1
    worst = count * (count - 1) * max(tail(1 << i | 1 << j) for i, j in combinations(range(count), 2))
    for chosen in range(1, sets + 1):
        blocks = chosen | chosen >> 1 | (chosen & 1) << count - 1  # byte n is in blocks n and n - 1
        others = float(OTHERS) ** chosen.bit_count()
        if issued is not None:
            others = min(others, issued)
        worst = max(worst, sets * others * tail(blocks))
    return min(1.0, worst)
