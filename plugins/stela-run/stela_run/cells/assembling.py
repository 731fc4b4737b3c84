"""Whole cells from their shards: up to a thousand texts in one file, of more a file that names the parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stela_run.cells.cell_file import texts_digest
from stela_run.cells.environment import MADE_WITH
from stela_run.cells.shards import LARGEST, Shard
from stela_run.cells.store import PARTS, Store, part_of

ALSO_MADE_WITH = "also_made_with"
"""Where a result holds what other shards were made with than the first."""


def in_one_file(shards: Sequence[Shard]) -> bool:
    """Whether a cell of these shards holds its texts itself."""
    return len(shards) == 1 or shards[-1].stop <= LARGEST


def texts_of_shards(store: Store, cell: str, shards: Sequence[Shard]) -> dict[str, Any]:
    """The result of a generate cell, all of whose shards are there; one of them in memory at a time."""
    made = Environments()
    whole: dict[str, Any] = {}
    for shard in shards:
        part = store.get(part_of(cell, shard.name))
        assert part is not None, f"{cell} {shard}"
        made.add(part[MADE_WITH])
        whole["delta"] = part["delta"]
        if in_one_file(shards):
            whole.setdefault("texts", []).extend(part["texts"])
        else:
            whole.setdefault(PARTS, {})[shard.name] = texts_digest(part)
    return {**made.told(), **whole}


class Environments:
    """What the shards of a cell were made with, each once."""

    def __init__(self) -> None:
        self._all: list[dict[str, Any]] = []

    def add(self, made: dict[str, Any]) -> None:
        """That of one more shard."""
        if made not in self._all:
            self._all.append(made)

    def told(self) -> dict[str, Any]:
        """For a result: the first, and the others where there are others."""
        others = {ALSO_MADE_WITH: self._all[1:]} if len(self._all) > 1 else {}
        return {MADE_WITH: self._all[0], **others}


def time_of_shards(store: Store, cell: str, shards: Sequence[Shard]) -> dict[str, Any]:
    """Seconds of all shards of a generate cell together, and of a token; empty where they are not known."""
    timings = [store.timing(part_of(cell, shard.name)) for shard in shards]
    sums = {}
    for name in ("seconds", "tokens"):
        values = [timing.get(name) for timing in timings]
        if not all(isinstance(value, int | float) for value in values):
            return {}
        sums[name] = sum(value for value in values if value is not None)
    return {"seconds": sums["seconds"], "seconds_per_token": sums["seconds"] / max(1, sums["tokens"])}
