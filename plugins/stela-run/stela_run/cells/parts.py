"""The parts of a large cell as a worker reads them: by their place in the folder of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stela_core import StelaError
from stela_run.cells.shards import Shard
from stela_run.cells.store import Store, part_of
from stela_run.plan.texts import Pair

HUMAN = "human"


@dataclass(frozen=True)
class Parts:
    """Texts and tests of large cells, by reference: what travels to a worker is the folder's path."""

    folder: Path
    experiment: dict[str, Any]
    """For the bounds of what is read."""

    def texts(self, cell: str, shard: Shard) -> list[dict[str, Any]]:
        """The texts that a shard of a cell has generated."""
        texts: list[dict[str, Any]] = self._read(part_of(cell, shard.name))["texts"]
        return texts

    def tried(self, cell: str, shard: Shard) -> dict[str, Any]:
        """The tests of a shard."""
        return self._read(part_of(cell, shard.name))

    def human(self, language: str, shard: Shard) -> list[Pair]:
        """The human texts beside a shard, as :func:`put_human` left them."""
        return [Pair(*row) for row in self._read(part_of(f"{HUMAN}-{language}", shard.name))["texts"]]

    def _read(self, name: str) -> dict[str, Any]:
        content = Store.of_experiment(self.folder, self.experiment).read(name)
        if content is None:
            raise StelaError(
                f'a worker finds no part {name} in "{self.folder}".',
                "cells of more than 1,000 texts need a folder that all workers see",
            )
        return content


def put_human(store: Store, language: str, human: Sequence[Pair], shards: Sequence[Shard]) -> None:
    """Lay human texts beside large cells, in parts like theirs, where they are not there yet."""
    for shard in shards:
        name = part_of(f"{HUMAN}-{language}", shard.name)
        if not store.has(name):
            store.put(name, {"texts": [list(pair) for pair in human[shard.slice_of(shards)]]}, {})
