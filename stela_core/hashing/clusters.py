"""Clusters of token ids: disjoint groups, in one form whatever order they come in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

LARGEST = 4096
"""Tokens of a cluster: the colour of one token takes the numbers of all."""

LARGEST_ID = 1 << 24
"""Ids stay below it: the table by id is small, and the numbers that clusters draw with belong to no token."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Disjoint groups of two token ids and more; other ids stand alone. Made by :meth:`of`."""

    starts: npt.NDArray[np.int64]
    """Where each of the c clusters begins in ``members``, and the end of the last: (c + 1,)."""
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
