"""What a cell's shards were made with, and how long they took together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stela_run.cells.environment import MadeWith
from stela_run.cells.results import Result
from stela_run.cells.shards import Shard
from stela_run.cells.store import Store, part_of


def environments_of(store: Store, cell: str, shards: Sequence[Shard]) -> list[MadeWith]:
    """What the shards of a cell were made with, each once; one of them in memory at a time."""
    made: list[MadeWith] = []
    for shard in shards:
        used = store.require(part_of(cell, shard.name), Result).made_with
        if used not in made:
            made.append(used)
    return made


def time_of(
    store: Store, cell: str, shards: Sequence[Shard], unit: Literal["seconds", "tokens"]
) -> float | None:
    """Seconds (or tokens) of all shards of a cell together; ``None`` where that is not known of each."""
    values = [store.timing(part_of(cell, shard.name)).get(unit) for shard in shards]
    known = [value for value in values if isinstance(value, int | float)]
    return sum(known) if len(known) == len(values) else None
