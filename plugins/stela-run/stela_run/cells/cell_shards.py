"""The shards of an evaluate cell: what is to be tested of each, and what its tests found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from stela_run.cells.cell_file import bounds_of
from stela_run.cells.results import ShardResult
from stela_run.cells.shard_test import ShardTest
from stela_run.cells.shards import Shard
from stela_run.cells.store import Store, part_of
from stela_run.plan.plan import EvaluateCell
from stela_run.plan.schema import Experiment
from stela_run.plan.texts import Pair


class DoneShard(NamedTuple):
    """A shard as it was tested, and what was found."""

    test: ShardTest
    result: ShardResult


@dataclass(frozen=True)
class CellShards:
    """By reference: what travels to a worker is the folder's path, unless the shards are held."""

    cell: EvaluateCell
    experiment: Experiment
    folder: Path
    """Of the run."""
    generated: list[Shard]
    """Those its texts were generated in."""
    shards: list[Shard]
    """Those its texts are tested in: the same, or one of all texts."""
    delta: float | None
    inputs: dict[str, str]
    """Digests of the texts by the id of the cell that generated them; kept with the result."""
    siblings: tuple[EvaluateCell, ...] = ()
    """Cells of the same texts: what they ask of the model is worked out at once."""
    held: tuple[DoneShard, ...] = ()
    """All shards, for workers that need not see the folder."""

    def holding(self) -> CellShards:
        """The same with all shards in memory."""
        return replace(self, held=tuple(map(self.tested, range(len(self.shards)))))

    def tested(self, number: int) -> DoneShard:
        """A shard, and its result.

        Raises:
            StelaError: a file is missing or corrupt.
        """
        if self.held:
            return self.held[number]
        part = part_of(self.cell.id, self.shards[number].name)
        return DoneShard(self.test(number), self._store.require(part, ShardResult))

    def test(self, number: int, pool: Sequence[str] = ()) -> ShardTest:
        """What is to be tested of a shard; errors as for :meth:`tested`.

        Args:
            number: of the shard.
            pool: human texts that the attack may take from.
        """
        store, cell, shard = self._store, self.cell, self.shards[number]
        parts = [part for part in self.generated if shard.start <= part.start and part.stop <= shard.stop]
        plain = store.texts(cell.unmarked, parts) if self.experiment.negatives else ()
        return ShardTest(
            cell,
            self.experiment,
            shard,
            self.delta,
            list(store.texts(cell.generated, parts)),
            [Pair(text.prompt, text.text) for text in plain],
            list(store.human(cell.language, parts)),
            list(pool),
            self.inputs,
            self.siblings,
        )

    @property
    def _store(self) -> Store:
        return Store(self.folder, bounds_of(self.experiment.model_dump(mode="json")))
