"""All texts of a run: which shards are yet to be made, and whole cells of those that are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stela_run.cells.assembling import texts_of_shards, time_of_shards
from stela_run.cells.generating import PILOT_TEXTS, Order, Pilot
from stela_run.cells.job import Finished
from stela_run.cells.progress import Progress
from stela_run.cells.shards import PILOT, Shard, shards_of
from stela_run.cells.store import Store, part_of
from stela_run.plan.plan import GenerateCell, Plan


class GenerateAll:
    """Hand out what is to be generated, and keep what comes back."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._cells: dict[str, list[Shard]] = {}
        """Shards of the cells that are not finished."""
        for cell in plan.generate:
            if store.get(cell.id) is not None:
                progress.kept(cell.id)
                continue
            self._cells[cell.id] = shards_of(
                len(plan.texts[cell.language].prompts), plan.experiment.batch_size
            )
        self._left = {
            cell: {shard.name for shard in shards if not store.has(part_of(cell, shard.name))}
            for cell, shards in self._cells.items()
        }

    def pilots(self) -> Iterator[Pilot]:
        """Of the cells of several shards whose strength is yet to be set; a single one does it itself."""
        for cell in self._unfinished():
            shards = self._cells[cell.id]
            if cell.entry.mean_bias is None or len(shards) == 1:
                continue
            if not self._store.has(part_of(cell.id, PILOT)):
                order = self._order(cell, Shard(0, 0, PILOT_TEXTS))
                yield Pilot(**order)

    def orders(self) -> Iterator[Order]:
        """The shards that are not there; those of a cell that failed are left out."""
        for cell in self._unfinished():
            shards, left = self._cells[cell.id], self._left[cell.id]
            for shard in shards:
                if shard.name not in left:
                    self._progress.part(cell.id, shard.name, shard.stop - shard.start)
            if not left:
                self._finish(cell.id)
            delta = (self._store.get(part_of(cell.id, PILOT)) or {}).get("delta")
            for shard in shards:
                if shard.name in left and cell.id in self._cells:
                    yield Order(**self._order(cell, shard), delta=delta)

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; a cell is finished with its last shard, or its first error."""
        if done.id not in self._cells:
            return  # another shard of it has failed
        if "error" in done.result:
            del self._cells[done.id]
            self._store.put(done.id, done.result, {})
            self._progress.done(done.id, None, done.result["error"])
            return
        self._store.put(part_of(done.id, done.part), done.result, done.timing)
        if done.part == PILOT:
            return
        self._progress.part(done.id, done.part, len(done.result["texts"]))
        self._left[done.id].discard(done.part)
        if not self._left[done.id]:
            self._finish(done.id)

    def _finish(self, cell: str) -> None:
        shards = self._cells.pop(cell)
        timing = time_of_shards(self._store, cell, shards)
        result = texts_of_shards(self._store, cell, shards)
        self._store.put(cell, result, timing)
        if "texts" in result:
            self._store.drop_parts(cell)
        self._progress.done(cell, timing.get("seconds"))

    def _unfinished(self) -> list[GenerateCell]:
        return [cell for cell in self._plan.generate if cell.id in self._cells]

    def _order(self, cell: GenerateCell, shard: Shard) -> dict[str, Any]:
        experiment = self._plan.experiment
        return {
            "cell": cell,
            "prompts": self._plan.texts[cell.language].prompts[shard.start : shard.stop],
            "temperature": experiment.temperature,
            "batch_size": experiment.batch_size,
            "new_tokens": tokens_for(max(experiment.lengths)),
            "key_per": experiment.key_per or "text",
            "shard": shard,
        }


def tokens_for(length: int) -> int:
    """Tokens to generate so that a text still has ``length`` when it is tokenised again.

    Where it comes out shorter, its text would be left out, and such texts differ from the others.
    """
    return length + max(8, length // 8)
