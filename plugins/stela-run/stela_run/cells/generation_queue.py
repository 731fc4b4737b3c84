"""What is yet to be generated of a run: pilots, then shards of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stela_run.cells.environment import UNKNOWN
from stela_run.cells.generating import Order, Pilot
from stela_run.cells.job import Finished
from stela_run.cells.queue import Queue
from stela_run.cells.results import CellResult, Failure, GeneratedShard, Strength, Timing
from stela_run.cells.store import Store, part_of, parts_of
from stela_run.cost.pilot import PILOT_TEXTS
from stela_run.plan.plan import GenerateCell, Plan
from stela_run.plan.shards import PILOT, Shard
from stela_run.progress import Progress, pilot_texts


class GenerationQueue(Queue):
    """All texts of a run."""

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        super().__init__(plan, store, progress)
        self._cells = {cell.id: cell for cell in plan.generate}
        for cell in plan.generate:
            if store.get(cell.id, CellResult) is None:
                self._left[cell.id] = {shard.name for shard in self._shards(cell)}
            else:
                progress.finished(cell.id)

    def cut(self, counts: Mapping[str, int]) -> None:
        """Give cells no more than a number of their shards."""
        super().cut(counts)
        for cell in self._unfinished():
            self._left[cell.id] = {shard.name for shard in self._shards(cell)}

    def pilots(self) -> Iterator[Pilot]:
        """Pilots of the cells whose strength is yet to be set."""
        for cell in self._unfinished():
            if cell.entry.piloted and self._store.has(part_of(cell.id, PILOT)):
                self._piloted(cell)
            elif cell.entry.piloted:
                shard = Shard(0, 0, PILOT_TEXTS)
                yield Pilot(cell, self._plan.experiment, shard, self._prompts(cell, shard))

    def orders(self) -> Iterator[Order]:
        """The shards that are not there; those of a cell that failed are left out."""
        for cell in self._unfinished():
            if not self._plan.writes(cell):
                self._set(cell)
                continue
            missing = []
            for shard in self._shards(cell):
                if self._store.has(part_of(cell.id, shard.name)):
                    self._generated(cell, shard.name, shard.stop - shard.start)
                else:
                    missing.append(shard)
            pilot = self._store.get(part_of(cell.id, PILOT), Strength)
            delta = None if pilot is None else pilot.value
            for shard in missing:
                if cell.id in self._left:
                    yield Order(cell, self._plan.experiment, shard, self._prompts(cell, shard), delta)

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; a cell is finished with its last shard, or its first error."""
        if done.id not in self._left:
            return  # another shard of it has failed
        if isinstance(done.result, Failure):
            self._fail(done.id, done.result)
            return
        self._store.put(part_of(done.id, done.part), done.result, done.timing)
        if isinstance(done.result, Strength):
            self._piloted(self._cells[done.id])
        if isinstance(done.result, GeneratedShard):
            self._generated(self._cells[done.id], done.part, len(done.result.texts))

    def _piloted(self, cell: GenerateCell) -> None:
        self._progress.part(cell.id, PILOT, pilot_texts(self._plan, cell))

    def _set(self, cell: GenerateCell) -> None:
        """A cell of which no texts are made is finished where its strength is set."""
        part = part_of(cell.id, PILOT)
        pilot = self._store.get(part, Strength)
        if cell.entry.piloted and pilot is None:
            return
        del self._left[cell.id]
        [made] = [UNKNOWN] if pilot is None else self._store.environments([part])
        value = None if pilot is None else pilot.value
        self._store.put(cell.id, CellResult(made_with=made, delta=value, parts={}), {})
        self._progress.done(cell.id, None)

    def _generated(self, cell: GenerateCell, shard: str, texts: int) -> None:
        """A shard is there: with the last one, the cell is."""
        if not self._is_last(cell.id, shard, texts):
            return
        del self._left[cell.id]
        store, shards = self._store, self._shards(cell)
        parts = parts_of(cell.id, shards)
        made, *others = store.environments(parts)
        result = CellResult(
            made_with=made,
            also_made_with=others,
            delta=store.require(parts[0], GeneratedShard).delta,
            parts={shard.name: store.digest(part) for shard, part in zip(shards, parts, strict=True)},
        )
        seconds, tokens = store.time(parts, "seconds"), store.time(parts, "tokens")
        timing: Timing = {}
        if seconds is not None and tokens is not None:
            timing = {"seconds": seconds, "seconds_per_token": seconds / max(1, tokens)}
        store.put(cell.id, result, timing)
        self._progress.done(cell.id, seconds)

    def _unfinished(self) -> list[GenerateCell]:
        return [cell for cell in self._plan.generate if cell.id in self._left]

    def _prompts(self, cell: GenerateCell, shard: Shard) -> list[str]:
        return self._plan.texts[cell.language].prompts[shard.start : shard.stop]
