"""All texts of a run: which shards are yet to be made, and the cells whose shards are there."""

from __future__ import annotations

from collections.abc import Iterator

from stela_run.cells.cell_file import texts_digest
from stela_run.cells.generating import PILOT_TEXTS, Order, Pilot
from stela_run.cells.job import Finished
from stela_run.cells.progress import Progress
from stela_run.cells.results import CellResult, Failure, GeneratedShard, Strength, Timing
from stela_run.cells.shards import PILOT, Shard, shards_of
from stela_run.cells.store import Store, part_of
from stela_run.cells.summing import environments_of, time_of
from stela_run.plan.plan import GenerateCell, Plan


class GenerationQueue:
    """Hand out what is to be generated, and keep what comes back."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._left: dict[str, dict[str, Shard]] = {}
        """Shards that are not there, of the cells that are not finished."""
        for cell in plan.generate:
            if store.get(cell.id, CellResult) is not None:
                progress.finished_before(cell.id)
                continue
            left = self._left[cell.id] = {}
            for shard in self._shards(cell):
                if store.has(part_of(cell.id, shard.name)):
                    progress.part(cell.id, shard.name, shard.stop - shard.start)
                else:
                    left[shard.name] = shard

    def pilots(self) -> Iterator[Pilot]:
        """Of the cells whose strength is yet to be set."""
        for cell in self._unfinished():
            if cell.entry.mean_bias is not None and not self._store.has(part_of(cell.id, PILOT)):
                shard = Shard(0, 0, PILOT_TEXTS)
                yield Pilot(cell, self._plan.experiment, shard, self._prompts(cell, shard))

    def orders(self) -> Iterator[Order]:
        """The shards that are not there; those of a cell that failed are left out."""
        for cell in self._unfinished():
            left = self._left[cell.id]
            if not left:
                self._finish(cell)
                continue
            pilot = self._store.get(part_of(cell.id, PILOT), Strength)
            delta = None if pilot is None else pilot.delta
            for shard in list(left.values()):
                if cell.id in self._left:
                    yield Order(cell, self._plan.experiment, shard, self._prompts(cell, shard), delta)

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; a cell is finished with its last shard, or its first error."""
        if done.id not in self._left:
            return  # another shard of it has failed
        if isinstance(done.result, Failure):
            del self._left[done.id]
            self._store.put(done.id, done.result, {})
            self._progress.done(done.id, None, done.result.error)
            return
        self._store.put(part_of(done.id, done.part), done.result, done.timing)
        if done.part == PILOT:
            return
        left = self._left[done.id]
        shard = left.pop(done.part)
        self._progress.part(done.id, done.part, shard.stop - shard.start)
        if not left:
            [cell] = [cell for cell in self._plan.generate if cell.id == done.id]
            self._finish(cell)

    def _finish(self, cell: GenerateCell) -> None:
        del self._left[cell.id]
        store, shards = self._store, self._shards(cell)
        made_with, *others = environments_of(store, cell.id, shards)
        first = store.require(part_of(cell.id, shards[0].name), GeneratedShard)
        names = [(shard.name, part_of(cell.id, shard.name)) for shard in shards]
        result = CellResult(
            made_with=made_with,
            also_made_with=others,
            delta=first.delta,
            parts={name: texts_digest(store.read(part) or {}) for name, part in names},
        )
        seconds, tokens = (time_of(store, cell.id, shards, unit) for unit in ("seconds", "tokens"))
        timing: Timing = {}
        if seconds is not None and tokens is not None:
            timing = {"seconds": seconds, "seconds_per_token": seconds / max(1, tokens)}
        store.put(cell.id, result, timing)
        self._progress.done(cell.id, seconds)

    def _unfinished(self) -> list[GenerateCell]:
        return [cell for cell in self._plan.generate if cell.id in self._left]

    def _shards(self, cell: GenerateCell) -> list[Shard]:
        return shards_of(len(self._plan.texts[cell.language].prompts), self._plan.experiment.batch_size)

    def _prompts(self, cell: GenerateCell, shard: Shard) -> list[str]:
        return self._plan.texts[cell.language].prompts[shard.start : shard.stop]
