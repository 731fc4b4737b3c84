"""All tests of a run: which shards are yet to be tested, and which cells can be measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby

from stela_core import Registry
from stela_run.cells.cell_file import texts_digest
from stela_run.cells.cell_shards import CellShards
from stela_run.cells.environment import made_with
from stela_run.cells.job import Finished
from stela_run.cells.measuring import Measurement
from stela_run.cells.progress import Progress
from stela_run.cells.results import CellResult, Failure, MeasuredCell, ShardResult, Timing
from stela_run.cells.shard_test import ShardTest, attack_of
from stela_run.cells.shards import LARGEST, WHOLE, Shard, shards_of
from stela_run.cells.store import Store, part_of, parts_of
from stela_run.log import Log
from stela_run.plan.plan import NO_ATTACK, EvaluateCell, Plan


class EvaluationQueue:
    """Hand out what is to be tested and measured, and keep what comes back."""

    def __init__(self, plan: Plan, store: Store, progress: Progress, registry: Registry, log: Log) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._registry = registry
        self._log = log
        self._cells: dict[str, CellShards] = {}
        """Those that are begun."""
        self._left: dict[str, set[str]] = {}
        """Shards of cells that are yet to be tested."""
        self._ready: deque[str] = deque()
        self._digest_of = cache(self._digest)

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
        """Of the cells that can be measured by now."""
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
        """Keep what became of a piece of work."""
        if isinstance(done.result, Failure):
            if self._left.pop(done.id, None) is not None or done.part == WHOLE:
                self._fail(done.id, done.result)
        elif isinstance(done.result, MeasuredCell):
            self._finish(done.id, done.result, done.timing)
        elif done.id in self._left:
            self._store.put(part_of(done.id, done.part), done.result, done.timing)
            self._tested(done.id, done.part)

    def _begin(self, cell: EvaluateCell) -> CellShards:
        experiment, texts = self._plan.experiment, self._plan.texts[cell.language]
        generated = shards_of(len(texts.prompts), experiment.batch_size)
        self._store.put_human(cell.language, texts.human, generated)
        shards = generated
        if cell.attack.name != NO_ATTACK and attack_of(self._registry, cell.attack).studied:
            shards = [Shard(0, 0, len(texts.prompts))]  # what it learns from the first it uses on the others
        source = self._store.require(cell.generated, CellResult)
        inputs, siblings = self._inputs(cell), self._siblings(cell)
        begun = CellShards(
            cell, experiment, self._store.folder, generated, shards, source.delta, inputs, siblings
        )
        self._cells[cell.id] = begun
        self._left[cell.id] = {shard.name for shard in shards}
        for shard in shards:
            tested = self._store.get(part_of(cell.id, shard.name), ShardResult)
            if tested is not None and tested.inputs == inputs:
                self._tested(cell.id, shard.name)
        return begun

    def _tested(self, cell: str, part: str) -> None:
        [shard] = [shard for shard in self._cells[cell].shards if shard.name == part]
        texts = (shard.stop - shard.start) * len(self._plan.experiment.lengths)
        self._progress.part(cell, part, texts)
        self._left[cell].discard(part)
        if not self._left[cell]:
            del self._left[cell]
            self._ready.append(cell)

    def _finish(self, cell: str, result: MeasuredCell, timing: Timing) -> None:
        parts = parts_of(cell, self._cells[cell].shards)
        others = [used for used in self._store.environments(parts) if used != result.made_with]
        tests = self._store.time(parts, "seconds")
        if tests is not None:
            timing = {**timing, "seconds": timing["seconds"] + tests}
        self._store.put(cell, replace(result, also_made_with=others), timing)
        self._progress.done(cell, timing["seconds"])

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
            self._progress.finished_before(cell.id)
            return False
        if result is not None:
            self._log.tell(f"made again: {cell.id} was measured on other texts.")
        return True

    def _fail(self, cell: str, failure: Failure) -> None:
        self._store.put(cell, failure, {})
        self._progress.done(cell, None, failure.error)

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
        return [cell.generated, cell.unmarked] if self._plan.experiment.negatives else [cell.generated]

    def _inputs(self, cell: EvaluateCell) -> dict[str, str]:
        return {source: str(self._digest_of(source)) for source in self._sources(cell)}

    def _digest(self, cell: str) -> str | None:
        content = self._store.read(cell)
        return None if content is None or "error" in content else texts_digest(content)
