"""What each value of each block scores: all values of all tokens, tried in one compiled pass.

The table of :func:`exponentials` rounds a draw to a 65,536th of its range. Messages are chosen by it; every
p-value rests on the exact draws of the message chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import threshold
from stela_payload.blocks import seeds_of_values

STRETCH = 512
"""Tokens in which parts begin that share a pass: it bounds the memory."""


class Pairs(NamedTuple):
    """What is scored: distinct pairs of seed and token."""

    seeds: npt.NDArray[np.uint64]
    """The mark's own, (n,)."""
    tokens: npt.NDArray[np.int64]
    """Ids, (n,)."""
    stakes: npt.NDArray[np.float64]
    """What each weighs, (n,)."""
    blocks: npt.NDArray[np.intp]
    """Which block each holds, (n,)."""

    def part(self, start: int, end: int) -> Pairs:
        """Pairs from ``start`` up to ``end``."""
        own = slice(start, end)
        return Pairs(self.seeds[own], self.tokens[own], self.stakes[own], self.blocks[own])


def scores_of_values(
    mark: stela.Hasher[Any], pairs: Pairs, shape: tuple[int, int]
) -> npt.NDArray[np.float32]:
    """The weighted sum of the signals that tokens have under each value of their block.

    Args:
        mark: with its key.
        pairs: of the text.
        shape: blocks and values of a block.

    Returns:
        Of that shape.
    """
    if not mark.draws_mix:
        return any_mark_scores(mark, pairs, shape)
    from stela_payload import compiled

    scores = np.zeros(shape, dtype=np.float32)
    given = pairs._replace(stakes=pairs.stakes.astype(np.float32))
    if mark.law.is_green_list:
        compiled.add_green(*given, np.uint32(threshold(mark.law.share_above)), scores)
    else:
        compiled.add_exponential(*given, exponentials(), scores)
    return scores


def scores_of_parts(
    mark: stela.Hasher[Any], pairs: Pairs, shape: tuple[int, int], parts: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """The number of each part of a text, ``start`` up to ``end``, and its :func:`scores_of_values`.

    Parts that begin within one stretch are differences of running sums, made of one pass.
    """
    order = sorted(range(len(parts)), key=lambda number: parts[number])
    for _, numbers in groupby(order, key=lambda number: parts[number][0] // STRETCH):
        own = list(numbers)
        bounds = sorted({bound for number in own for bound in parts[number]})
        sums = {bounds[0]: np.zeros(shape, dtype=np.float32)}
        for start, end in pairwise(bounds):
            sums[end] = sums[start] + scores_of_values(mark, pairs.part(start, end), shape)
        for number in own:
            start, end = parts[number]
            yield number, sums[end] - sums[start]


def any_mark_scores(mark: stela.Hasher[Any], pairs: Pairs, shape: tuple[int, int]) -> npt.NDArray[np.float32]:
    """:func:`scores_of_values` by the mark's own draws, token by token."""
    scores = np.zeros(shape)
    values = np.arange(shape[1], dtype=np.uint64)
    for seed, token, stake, block in zip(*pairs, strict=True):
        draws = mark.draws(seeds_of_values(seed, values), np.full(len(values), token))
        scores[block] += stake * mark.law.signal(draws)
    return scores.astype(np.float32)


@cache
def exponentials() -> npt.NDArray[np.float32]:
    """``-log(1 - x / 2**32)`` by the upper 16 bits of x, (65536,), in the middle of each range."""
    middles = (np.arange(1 << 16) + 0.5) / (1 << 16)
    return (-np.log1p(-middles)).astype(np.float32)
