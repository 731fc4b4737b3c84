"""Bounds on the probability of naming another message than the one in the text.

Let a text be marked with message m, in any way. Under every other value of a block its tokens draw as unmarked
text does: the model saw none of these draws. So where m' differs from m in the bytes E, and thus in the blocks
D(E) that hold one of them, the sum over the tokens of D(E) under m' has the exact tail p(m', D(E)). There are
255**|E| such m'. Naming m' only where ``weight * 255**|E| * p(m', D(E)) <= a`` for each E, with ``weight``
the number of sets E, 2**S - 1, has by the union bound a probability of at most a, for all m' together::

    P(there is an m' != m that is named) <= sum over E, sum over m' of a / (weight 255**|E|) = a

A byte's bound is the largest of those of the sets that hold it: P(a byte is shown and is wrong) <= a.

Where a text holds two messages, one m' of bytes of both differs from both in no more than the two blocks
where one goes over into the other: each pair of blocks is tested, too, S (S - 1) of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from stela_payload.choosing import values_of_messages

OTHERS = 255
"""Other values of a byte."""

TailOf = Callable[[int], float]
"""The p-value of the message over the tokens of some blocks, a set of bits."""


def byte_errors(tail: TailOf, count: int) -> tuple[list[float], float]:
    """For each of S bytes a bound on reading it wrongly, and one on naming another message.

    Args:
        tail: of the message that was read.
        count: bytes, and blocks, at least 3.
    """
    tail = cache(tail)
    errors = [0.0] * count
    sets = (1 << count) - 1
    for chosen in range(1, sets + 1):
        blocks = chosen | chosen >> 1 | (chosen & 1) << count - 1  # byte n is in blocks n and n - 1
        error = min(1.0, sets * float(OTHERS) ** chosen.bit_count() * tail(blocks))
        for byte in range(count):
            if chosen >> byte & 1:
                errors[byte] = max(errors[byte], error)
    pairs = [tail(1 << i | 1 << j) for i, j in combinations(range(count), 2)]
    return errors, max(*errors, min(1.0, count * (count - 1) * max(pairs)))


def issued_error(tail: TailOf, value: int, messages: npt.NDArray[np.uint64], bits: int) -> float:
    """A bound on naming one of the issued messages where the text holds another of them, or none.

    Of n messages, the others differ in sets of blocks that are looked up: no union over all is needed.
    """
    own = values_of_messages(np.array([value], dtype=np.uint64), bits)
    different = values_of_messages(messages, bits) != own
    masks = (different * (1 << np.arange(len(own)))[:, None]).sum(axis=0)
    others = {int(mask) for mask in np.unique(masks) if mask}
    everything = (1 << len(own)) - 1
    return min(1.0, len(messages) * max(tail(mask) for mask in others | {everything}))
