"""All texts of a run: which shards are yet to be made, and the cells whose shards are there."""

from __future__ import annotations

from collections.abc import Iterator

from stela_run.cells.cell_file import texts_digest
from stela_run.cells.generating import PILOT_TEXTS, Order, Pilot
from stela_run.cells.job import Finished
from stela_run.cells.progress import Progress
from stela_run.cells.results import CellResult, Failure, GeneratedShard, Strength, Timing
from stela_run.cells.shards import PILOT, Shard, shards_of
from stela_run.cells.store import Store, part_of, parts_of
from stela_run.plan.plan import GenerateCell, Plan


class GenerationQueue:
    """Hand out what is to be generated, and keep what comes back."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._shards: dict[str, list[Shard]] = {}
        """Of the cells that are not finished."""
        for cell in plan.generate:
            if store.get(cell.id, CellResult) is not None:
                progress.finished_before(cell.id)
                continue
            texts = len(plan.texts[cell.language].prompts)
            self._shards[cell.id] = shards_of(texts, plan.experiment.batch_size)
        self._left = {
            cell: {shard.name for shard in shards if not store.has(part_of(cell, shard.name))}
            for cell, shards in self._shards.items()
        }

    def pilots(self) -> Iterator[Pilot]:
        """Of the cells whose strength is yet to be set."""
        for cell in self._unfinished():
            if cell.entry.mean_bias is not None and not self._store.has(part_of(cell.id, PILOT)):
                shard = Shard(0, 0, PILOT_TEXTS)
                yield Pilot(cell, self._plan.experiment, shard, self._prompts(cell, shard))

    def orders(self) -> Iterator[Order]:
        """The shards that are not there; those of a cell that failed are left out."""
        for cell in self._unfinished():
            shards, left = self._shards[cell.id], self._left[cell.id]
            for shard in shards:
                if shard.name not in left:
                    self._progress.part(cell.id, shard.name, shard.stop - shard.start)
            if not left:
                self._finish(cell.id)
                continue
            pilot = self._store.get(part_of(cell.id, PILOT), Strength)
            delta = None if pilot is None else pilot.delta
            for shard in shards:
                if shard.name in left and cell.id in self._shards:
                    yield Order(cell, self._plan.experiment, shard, self._prompts(cell, shard), delta)

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; a cell is finished with its last shard, or its first error."""
        if done.id not in self._shards:
            return  # another shard of it has failed
        if isinstance(done.result, Failure):
            del self._shards[done.id]
            self._store.put(done.id, done.result, {})
            self._progress.done(done.id, None, done.result.error)
            return
        self._store.put(part_of(done.id, done.part), done.result, done.timing)
        if isinstance(done.result, GeneratedShard):
            self._progress.part(done.id, done.part, len(done.result.texts))
            self._left[done.id].discard(done.part)
            if not self._left[done.id]:
                self._finish(done.id)

    def _finish(self, cell: str) -> None:
        store, shards = self._store, self._shards.pop(cell)
        parts = parts_of(cell, shards)
        made_with, *others = store.environments(parts)
        result = CellResult(
            made_with=made_with,
            also_made_with=others,
            delta=store.require(parts[0], GeneratedShard).delta,
            parts={
                shard.name: texts_digest(store.read(part) or {})
                for shard, part in zip(shards, parts, strict=True)
            },
        )
        seconds, tokens = store.time(parts, "seconds"), store.time(parts, "tokens")
        timing: Timing = {}
        if seconds is not None and tokens is not None:
            timing = {"seconds": seconds, "seconds_per_token": seconds / max(1, tokens)}
        store.put(cell, result, timing)
        self._progress.done(cell, seconds)

    def _unfinished(self) -> list[GenerateCell]:
        return [cell for cell in self._plan.generate if cell.id in self._shards]

    def _prompts(self, cell: GenerateCell, shard: Shard) -> list[str]:
        return self._plan.texts[cell.language].prompts[shard.start : shard.stop]
