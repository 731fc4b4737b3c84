"""A long list whose items are read shard by shard."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar, overload

T = TypeVar("T")


class Paged(Sequence[T]):
    """Items in order, of which a few shards are in memory at a time.

    Args:
        counts: how many items each shard has.
        load: gives those of a shard, by its place in ``counts``: so many, or there is a ``ValueError``.
        kept: items that stay in memory, at least those of one shard.
    """

    def __init__(self, counts: Sequence[int], load: Callable[[int], Sequence[T]], kept: int) -> None:
        self._ends = list(accumulate(counts))
        self._load = load
        self._most = kept
        self._kept: OrderedDict[int, Sequence[T]] = OrderedDict()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        shard = bisect_right(self._ends, number)
        return self._shard(shard)[number - (self._ends[shard - 1] if shard else 0)]

    def __iter__(self) -> Iterator[T]:
        for shard in range(len(self._ends)):
            yield from self._shard(shard)

    def _shard(self, shard: int) -> Sequence[T]:
        if shard not in self._kept:
            items = self._load(shard)
            if len(items) != self._ends[shard] - (self._ends[shard - 1] if shard else 0):
                # Or else iterating would give other items than indexing.
                raise ValueError(f"shard {shard} has {len(items)} items, another number than was said")
            self._kept[shard] = items
            while len(self._kept) > 1 and sum(map(len, self._kept.values())) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(shard)
        return self._kept[shard]
