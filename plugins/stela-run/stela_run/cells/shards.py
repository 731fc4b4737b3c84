"""Shards of a cell: runs of whole batches of its texts, each made, kept and gone on with by itself.

What is wanted of all of them is a long list, of which a few shards are in memory at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar, overload

T = TypeVar("T")

LARGEST = 1_000
"""Texts of a shard at most, where a batch is not larger."""

SHARDS = 16
"""About so many shards has a cell of fewer than ``SHARDS x LARGEST`` texts, if it has so many batches."""


WHOLE = ""
"""The part of a cell that is all of it."""

PILOT = "pilot"
"""The part of a generate cell that holds its delta."""


class Shard(NamedTuple):
    """Texts ``start`` to ``stop`` of a cell."""

    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.number:06}"

    def slice_of(self, shards: Sequence[Shard]) -> slice:
        """Its place in a list of texts beside the cell's, which may be longer: the last takes the rest."""
        return slice(self.start, None if self == shards[-1] else self.stop)


def shards_of(texts: int, batch_size: int) -> list[Shard]:
    """The shards of a cell, the same for the same numbers; one, without texts, where it has none.

    They end where batches do: batches decide the last places of a model's logits.
    """
    batches = -(-texts // batch_size)
    size = batch_size * max(1, min(LARGEST // batch_size, batches // SHARDS))
    starts = range(0, max(1, texts), size)
    return [Shard(number, start, min(start + size, texts)) for number, start in enumerate(starts)]


class Paged(Sequence[T]):
    """Items in order, of which a few shards are in memory at a time.

    Args:
        counts: how many items each shard has.
        load: gives those of a shard, by its place in ``counts``: so many, or there is a ``ValueError``.
        most: items that stay in memory, at least those of one shard.
    """

    def __init__(self, counts: Sequence[int], load: Callable[[int], Sequence[T]], most: int) -> None:
        self._ends = list(accumulate(counts))
        self._load = load
        self._most = most
        self._loaded: OrderedDict[int, Sequence[T]] = OrderedDict()

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
        if shard not in self._loaded:
            items = self._load(shard)
            if len(items) != self._ends[shard] - (self._ends[shard - 1] if shard else 0):
                # Or else iterating would give other items than indexing.
                raise ValueError(f"shard {shard} has {len(items)} items, another number than was said")
            self._loaded[shard] = items
            while len(self._loaded) > 1 and sum(map(len, self._loaded.values())) > self._most:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(shard)
        return self._loaded[shard]
