"""What is yet to be tested of a run, and cells to measure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby

from stela_core import Registry
from stela_run.cells.cell_texts import CellShards
from stela_run.cells.deciding import inputs_of_shard
from stela_run.cells.environment import made_with
from stela_run.cells.job import Finished
from stela_run.cells.measuring import Measurement
from stela_run.cells.queue import Queue
from stela_run.cells.results import CellResult, Failure, MeasuredCell, ShardResult, Timing
from stela_run.cells.shard_test import ShardTest, attack_of
from stela_run.cells.store import Store, part_of, parts_of
from stela_run.log import Log
from stela_run.plan.plan import NO_ATTACK, EvaluateCell, Plan
from stela_run.plan.shards import LARGEST, Shard
from stela_run.progress import Progress


class EvaluationQueue(Queue):
    """All tests of a run."""

    def __init__(self, plan: Plan, store: Store, progress: Progress, registry: Registry, log: Log) -> None:
        super().__init__(plan, store, progress)
        self._registry = registry
        self._log = log
        self._cells: dict[str, CellShards] = {}
        """Cells that are begun."""
        self._ready: deque[str] = deque()
        """Cells whose shards are tested."""
        self._digest_of = cache(store.digest)

    def items(self) -> Iterator[ShardTest | Measurement]:
        """Tests of shards, and the measuring of cells whose shards are tested.

        Attacks of one mark take turns, so that a worker tests a shard's unmarked texts once.
        """
        for _, group in groupby(
            self._plan.evaluate, lambda cell: (cell.generated, cell.unmarked, cell.label)
        ):
            begun = [self._begin(cell) for cell in group if self._is_to_be_done(cell)]
            for number in range(max((len(cell.shards) for cell in begun), default=0)):
                for cell in begun:
                    yield from self.measurements()
                    left = self._left.get(cell.cell.id, ())
                    if number < len(cell.shards) and cell.shards[number].name in left:
                        yield cell.test(number, self._pool(cell.cell))

    def measurements(self) -> Iterator[Measurement]:
        """Measurements of the cells that can be measured by now."""
        while self._ready:
            cell = self._cells[self._ready.popleft()]
            small = cell.generated[-1].stop <= LARGEST
            generated, plain = (self._store.timing(n) for n in (cell.cell.generated, cell.cell.unmarked))
            yield Measurement(
                cell.holding() if small else cell,
                generated.get("seconds_per_token", float("nan")),
                plain.get("seconds_per_token", float("nan")),
            )

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; what is to be measured is no longer left."""
        result = done.result
        if isinstance(result, Failure):
            if done.id in self._left:  # not where another shard of it has failed
                self._fail(done.id, result)
        elif isinstance(result, MeasuredCell):
            self._measured(self._cells[done.id], result, done.timing)
        elif isinstance(result, ShardResult) and done.id in self._left:
            cell = self._cells[done.id]
            inputs = self._inputs(cell.cell)
            self._store.put(part_of(done.id, done.part), replace(result, inputs=inputs), done.timing)
            self._tested(cell, done.part)

    def _begin(self, cell: EvaluateCell) -> CellShards:
        texts, generated = self._plan.texts[cell.language], self._shards(cell)
        self._store.put_human(cell.language, texts.human, self._all_shards(cell))
        shards = generated
        if cell.attack.name != NO_ATTACK and attack_of(self._registry, cell.attack).studied:
            shards = [Shard(0, 0, generated[-1].stop)]  # what it learns from the first it uses on the others
        delta = self._store.require(cell.generated, CellResult).delta
        experiment, siblings = self._plan.experiment, self._siblings(cell)
        begun = CellShards(cell, experiment, delta, self._store, generated, shards, siblings)
        self._cells[cell.id] = begun
        self._left[cell.id] = {shard.name for shard in shards}
        for shard in shards:
            part = part_of(cell.id, shard.name)
            tested = self._store.get(part, ShardResult)
            if tested is None:
                continue
            if experiment.until_decided and tested.inputs == inputs_of_shard(
                self._store, self._plan, cell, shard.name
            ):
                tested = replace(tested, inputs=self._inputs(cell))
                self._store.put(part, tested, self._store.timing(part))
            if tested.inputs == self._inputs(cell):
                self._tested(begun, shard.name)
        return begun

    def _tested(self, cell: CellShards, part: str) -> None:
        """A shard is tested: with the last one, the cell can be measured."""
        [texts] = [shard.stop - shard.start for shard in cell.shards if shard.name == part]
        if self._is_last(cell.cell.id, part, texts * len(self._plan.experiment.lengths)):
            self._ready.append(cell.cell.id)

    def _measured(self, cell: CellShards, result: MeasuredCell, timing: Timing) -> None:
        del self._left[cell.cell.id]
        parts = parts_of(cell.cell.id, cell.shards)
        result = replace(
            result,
            inputs=self._inputs(cell.cell),
            parts={shard.name: None for shard in cell.shards},
            also_made_with=[used for used in self._store.environments(parts) if used != result.made_with],
        )
        tests = self._store.time(parts, "seconds")
        if tests is not None:
            timing = {**timing, "seconds": timing["seconds"] + tests}
        self._store.put(cell.cell.id, result, timing)
        self._progress.done(cell.cell.id, timing["seconds"])

    def _is_to_be_done(self, cell: EvaluateCell) -> bool:
        """Whether a cell can be measured and is yet to be; if it cannot, that is what becomes of it."""
        missing = next((source for source in self._sources(cell) if self._digest_of(source) is None), None)
        if missing is not None:
            failure = self._store.failure(missing)
            error = f"its texts could not be generated: {'?' if failure is None else failure.error}"
            self._fail(cell.id, Failure(made_with=made_with(self._registry), error=error))
            return False
        result = self._store.get(cell.id, MeasuredCell)
        if result is not None and result.inputs == self._inputs(cell):
            self._progress.finished(cell.id)
            return False
        if result is not None:
            self._log.tell(f"made again: {cell.id} was measured on other texts.")
        return True

    def _pool(self, cell: EvaluateCell) -> list[str]:
        """Human texts that an attack may take from: those of the whole cell."""
        human = [] if cell.attack.name == NO_ATTACK else self._plan.texts[cell.language].human
        return [pair.continuation for pair in human]

    def _siblings(self, cell: EvaluateCell) -> tuple[EvaluateCell, ...]:
        """Cells whose texts, marked or not, are those of this one."""
        same = (cell.model, cell.language, cell.seed, cell.attack)
        others = (other for other in self._plan.evaluate if other != cell)
        return tuple(o for o in others if (o.model, o.language, o.seed, o.attack) == same)

    def _sources(self, cell: EvaluateCell) -> list[str]:
        return [cell.generated, cell.unmarked] if self._plan.experiment.unmarked_texts else [cell.generated]

    def _inputs(self, cell: EvaluateCell) -> dict[str, str]:
        """Digests of the texts by the id of the cell that generated them."""
        return {source: str(self._digest_of(source)) for source in self._sources(cell)}
