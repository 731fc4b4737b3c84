"""Splits that are even inside clusters: of each cluster's m tokens, gamma m are green, rounded at random.

Let ``x(v)`` be the mixed number of token ``v`` under the seed (``hashing/colour.py`` of the core) and
``T = floor(gamma 2**32)``. A token that is in no cluster is green iff ``x(v) < T``, as ever. Of a cluster of
``m`` tokens with lowest id ``l`` let ``q, r = divmod(m T, 2**32)``; then its ::

    g = q + 1 if x(2**32 - 1 - l) < r else q

tokens of the smallest numbers are green. Over seeds, ranks are a random order and ``g`` has mean
``m T / 2**32``, so that each token is green with probability ``T / 2**32``, as it is elsewhere. Of a
cluster of two at gamma 1/2 exactly one is green: the mutual exclusion of Chen et al. (WatME, ACL 2024); of
clusters of meaning, both colours have their share of each: the balanced lists of Guo et al. (EMNLP 2024).

Colours of two tokens of one cluster under one seed *depend* on each other: :func:`first_of_pairs` says
which tokens of a text are independent coins. The definition never changes (golden vectors in the tests).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_core.api import mix, threshold

LARGEST = 4096
"""Tokens of a cluster: the colour of one token takes the numbers of all."""

LARGEST_ID = 1 << 24
"""Bound of ids: the table by id is small, and the numbers that clusters draw with belong to no token."""

_CELLS = 1 << 20
"""Numbers of cluster members that are worked out at once."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Disjoint groups of two token ids and more; other ids stand by themselves. Made by :meth:`of`."""

    starts: npt.NDArray[np.int64]
    """Start of each of the c clusters in ``members``, and the end of the last: (c + 1,)."""
    members: npt.NDArray[np.int64]
    """Ids, ascending within a cluster; the clusters stand in the order of their lowest ids."""

    @classmethod
    def of(cls, groups: Iterable[Iterable[int]]) -> Clusters:
        """The clusters in these groups; those of a single id are left out.

        Raises:
            StelaError: an id is in two groups or out of range, or a group is too large.
        """
        rows = sorted(sorted(set(group)) for group in groups)
        rows = [row for row in rows if len(row) > 1]
        members = np.array([token for row in rows for token in row], dtype=np.int64)
        hint = "make the clusters anew"
        if len(members) and not 0 <= int(members.min()) <= int(members.max()) < LARGEST_ID:
            raise StelaError(f"a cluster has a token id that is not in 0 .. {LARGEST_ID - 1}.", hint)
        if len(np.unique(members)) < len(members):
            values, counts = np.unique(members, return_counts=True)
            raise StelaError(f"token id {int(values[counts > 1][0])} is in two clusters.", hint)
        sizes = [len(row) for row in rows]
        if max(sizes, default=0) > LARGEST:
            raise StelaError(f"a cluster has {max(sizes)} tokens; {LARGEST} are the most.", hint)
        return cls(np.cumsum([0, *sizes], dtype=np.int64), members)

    def __len__(self) -> int:
        """Number of clusters."""
        return len(self.starts) - 1

    def groups(self) -> list[list[int]]:
        """The clusters as lists."""
        return [part.tolist() for part in np.split(self.members, self.starts[1:-1])] if len(self) else []

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of tokens of each cluster, (c,)."""
        return np.diff(self.starts)

    @cached_property
    def lowest(self) -> npt.NDArray[np.int64]:
        """Lowest id of each cluster, its name, (c,)."""
        return self.members[self.starts[:-1]]

    @cached_property
    def _by_id(self) -> npt.NDArray[np.int64]:
        size = int(self.members.max()) + 1 if len(self.members) else 0
        table = np.full(size + 1, -1, dtype=np.int64)  # the last place is of all ids past the highest
        table[self.members] = np.repeat(np.arange(len(self)), self.sizes)
        return table

    def numbers(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The cluster that each token is in, (n,) -> (n,); -1 where it is in none."""
        return self._by_id[np.minimum(tokens, len(self._by_id) - 1)]

    def below(self, size: int) -> Clusters:
        """The clusters of the ids below ``size``: those of a vocabulary."""
        return Clusters.of([token for token in group if token < size] for group in self.groups())


def draws_with(lowest: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The number in the place of a token id by which a cluster draws its rounding; no token has it."""
    return 0xFFFFFFFF - lowest


def shares(sizes: npt.NDArray[np.int64], gamma: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """``divmod(m T, 2**32)`` of clusters of m tokens, (c,) -> (c,), (c,)."""
    total = sizes * threshold(gamma)
    return total >> 32, total & 0xFFFFFFFF


def green_reference(seed: int, token: int, gamma: float, groups: list[list[int]]) -> bool:
    """The definition as it stands above: whether one token is green under one seed."""

    def number(of: int) -> int:
        return int(mix(np.uint64(seed), np.array(of)))

    for group in groups:
        if token in group and len(group) > 1:
            whole, rest = divmod(len(group) * threshold(gamma), 1 << 32)
            more = number(0xFFFFFFFF - min(group)) < rest
            return token in sorted(group, key=number)[: whole + more]
    return number(token) < threshold(gamma)


def green(
    seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64], gamma: float, clusters: Clusters
) -> npt.NDArray[np.bool_]:
    """Whether each token is green under its seed: (n,), (n,) -> (n,)."""
    colours = _alone(seeds, tokens, gamma)
    numbers = clusters.numbers(tokens)
    inside = np.flatnonzero(numbers >= 0)
    if not len(inside):
        return colours
    ends = np.cumsum(clusters.sizes[numbers[inside]])
    # Blocks of tokens whose clusters have about as many members as are worked out at once.
    cuts = np.searchsorted(ends, np.arange(_CELLS, int(ends[-1]), _CELLS))
    for block in np.split(inside, cuts):
        if len(block):
            colours[block] = _inside(seeds[block], tokens[block], gamma, clusters, numbers[block])
    return colours


def _alone(
    seeds: npt.NDArray[np.uint64] | np.uint64, tokens: npt.NDArray[np.int64], gamma: float
) -> npt.NDArray[np.bool_]:
    """Colours of tokens that are in no cluster."""
    return np.asarray(mix(seeds, tokens) < np.uint32(threshold(gamma)))


def _inside(
    seeds: npt.NDArray[np.uint64],
    tokens: npt.NDArray[np.int64],
    gamma: float,
    clusters: Clusters,
    numbers: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """Colours of tokens that are in the clusters of these numbers."""
    sizes = clusters.sizes[numbers]
    of = np.repeat(np.arange(len(tokens)), sizes)
    member = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    others = clusters.members[clusters.starts[numbers][of] + member]
    smaller = mix(seeds[of], others) < mix(seeds, tokens)[of]
    ranks = np.bincount(of, weights=smaller, minlength=len(tokens))
    whole, rest = shares(sizes, gamma)
    more = mix(seeds, draws_with(clusters.lowest[numbers])) < rest
    return np.asarray(ranks < whole + more)


def green_row(seed: np.uint64, vocab_size: int, gamma: float, clusters: Clusters) -> npt.NDArray[np.bool_]:
    """The green ids below ``vocab_size`` under one seed, (vocab_size,): :func:`green` of all."""
    row = _alone(seed, np.arange(vocab_size), gamma)
    if not len(clusters):
        return row
    number = np.repeat(np.arange(len(clusters)), clusters.sizes)
    order = np.argsort(number << 32 | mix(seed, clusters.members))
    whole, rest = shares(clusters.sizes, gamma)
    counts = whole + (mix(seed, draws_with(clusters.lowest)) < rest)
    # Sorted, the members of a cluster still stand where the cluster does: the place says the rank.
    ranks = np.arange(len(order)) - np.repeat(clusters.starts[:-1], clusters.sizes)
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order] = ranks < counts[number]
    inside = clusters.members < vocab_size
    row[clusters.members[inside]] = chosen[inside]
    return row


def first_of_pairs(
    seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64], clusters: Clusters
) -> npt.NDArray[np.bool_]:
    """Which tokens to score, so that different coins are independent: (n,), (n,) -> (n,).

    Of the tokens of a pair of seed and cluster, the first and its repeats, which are one coin. Other members
    are left out: their colours depend on the first one's. Each pair is then one Bernoulli(gamma) draw, and
    different pairs, and tokens in no cluster, are drawn apart. No colour is looked at.
    """
    keep = np.ones(len(tokens), dtype=np.bool_)
    numbers = clusters.numbers(tokens)
    inside = np.flatnonzero(numbers >= 0)
    if not len(inside):
        return keep
    seed_ranks = np.unique(seeds[inside], return_inverse=True)[1].reshape(-1)
    pairs = seed_ranks * len(clusters) + numbers[inside]
    _, first, of = np.unique(pairs, return_index=True, return_inverse=True)
    keep[inside] = tokens[inside] == tokens[inside][first[of.reshape(-1)]]
    return keep
