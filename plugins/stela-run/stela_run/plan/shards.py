"""Shards of a cell: runs of whole batches of its texts, each made, kept and gone on with by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LARGEST = 1_000
"""Texts of a shard at most, where a batch is not larger."""

SHARDS = 16
"""Shards, about, of a cell of fewer than ``SHARDS x LARGEST`` texts, if it has as many batches."""

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
        """Name of its file."""
        return f"{self.number:06}"

    def slice_of(self, shards: Sequence[Shard]) -> slice:
        """Its place in a list of texts parallel to the cell's, which may be longer: the last has the rest."""
        return slice(self.start, None if self == shards[-1] else self.stop)


def shards_of(texts: int, batch_size: int) -> list[Shard]:
    """The shards of a cell, the same for the same numbers; one, without texts, where it has none.

    They end where batches do: batches decide the last places of a model's logits.
    """
    batches = -(-texts // batch_size)
    size = batch_size * max(1, min(LARGEST // batch_size, batches // SHARDS))
    starts = range(0, max(1, texts), size)
    return [Shard(number, start, min(start + size, texts)) for number, start in enumerate(starts)]
