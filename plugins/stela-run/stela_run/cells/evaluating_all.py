"""All tests of a run: which shards are yet to be tested, and which cells can be measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from stela_core import Registry
from stela_run.cells.assembling import ALSO_MADE_WITH, Environments, in_one_file
from stela_run.cells.cell_file import texts_digest
from stela_run.cells.environment import MADE_WITH, made_with
from stela_run.cells.evaluating import Measurement
from stela_run.cells.job import Finished
from stela_run.cells.parts import Parts, put_human
from stela_run.cells.progress import Progress
from stela_run.cells.shards import WHOLE, Shard, shards_of
from stela_run.cells.store import Store, part_of
from stela_run.cells.trials import Trial, attack_of
from stela_run.log import Log
from stela_run.plan.plan import NO_ATTACK, EvaluateCell, Plan
from stela_run.plan.texts import Pair

NOTHING: dict[str, Any] = {"texts": []}
"""In place of unmarked texts, where none are tested."""


class EvaluateAll:
    """Hand out what is to be tested and measured, and keep what comes back."""

    def __init__(self, plan: Plan, store: Store, progress: Progress, registry: Registry, log: Log) -> None:
        self._plan = plan
        self._experiment = plan.experiment.model_dump(mode="json")
        self._store = store
        self._progress = progress
        self._registry = registry
        self._log = log
        self._left: dict[str, set[str]] = {}
        """Shards of cells that are yet to be tested."""
        self._ready: deque[EvaluateCell] = deque()
        self._cells = {cell.id: cell for cell in plan.evaluate}
        self._digest_of = cache(self._digest)
        self._head = lru_cache(maxsize=2)(store.get)

    def items(self) -> Iterator[Trial | Measurement]:
        """Tests of shards, and the measuring of cells whose shards are tested; a cell of one shard has both
        in one. Attacks of one mark take turns, so that a worker tests a shard's unmarked texts once.
        """
        for _, group in groupby(self._plan.evaluate, lambda one: (one.generated, one.unmarked, one.label)):
            cells = [cell for cell in group if self._is_to_be_done(cell)]
            shards = {cell.id: self._shards(cell) for cell in cells}
            for cell in cells:
                self._begin(cell, shards[cell.id])
            for number in range(max(map(len, shards.values()), default=0)):
                for cell in cells:
                    yield from self.measurements()
                    if number < len(shards[cell.id]):
                        shard = shards[cell.id][number]
                        if shard.name in self._left.get(cell.id, ()):
                            yield self._trial(cell, shard)

    def measurements(self) -> Iterator[Measurement]:
        """Of the cells that can be measured by now."""
        while self._ready:
            yield self._measurement(self._ready.popleft())

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work."""
        error = done.result.get("error")
        if done.part == WHOLE:
            self._finish(done)
        elif error is not None:
            if self._left.pop(done.id, None) is not None:
                self._fail(done.id, done.result)
        elif done.id in self._left:
            self._store.put(part_of(done.id, done.part), done.result, done.timing)
            self._tested(done.id, done.part)

    def _begin(self, cell: EvaluateCell, shards: list[Shard]) -> None:
        if len(shards) == 1:
            self._ready.append(cell)
            return
        language = self._plan.texts[cell.language]
        if not in_one_file(shards):
            put_human(self._store, cell.language, language.human, shards)
        self._left[cell.id] = {shard.name for shard in shards}
        for shard in shards:
            kept = self._store.get(part_of(cell.id, shard.name))
            if kept is not None and kept["inputs"] == self._inputs(cell):
                self._tested(cell.id, shard.name)

    def _tested(self, cell: str, part: str) -> None:
        [shard] = [shard for shard in self._shards(self._cells[cell]) if shard.name == part]
        texts = (shard.stop - shard.start) * len(self._plan.experiment.lengths)
        self._progress.part(cell, part, texts)
        self._left[cell].discard(part)
        if not self._left[cell]:
            del self._left[cell]
            self._ready.append(self._cells[cell])

    def _finish(self, done: Finished) -> None:
        cell, result = done.id, dict(done.result)
        shards = self._shards(self._cells[cell])
        made = Environments()
        made.add(result[MADE_WITH])
        seconds = done.timing.get("seconds")
        for shard in shards:
            part = self._store.get(part_of(cell, shard.name)) if len(shards) > 1 else None
            if part is not None:
                made.add(part[MADE_WITH])
                spent = self._store.timing(part_of(cell, shard.name)).get("seconds")
                seconds = None if seconds is None or spent is None else seconds + spent
        also = {name: value for name, value in made.told().items() if name == ALSO_MADE_WITH}
        timing = {**done.timing, "seconds": seconds} if seconds is not None else done.timing
        self._store.put(cell, {MADE_WITH: result.pop(MADE_WITH), **also, **result}, timing)
        if "error" not in result and in_one_file(shards):
            self._store.drop_parts(cell)
        self._progress.done(cell, seconds, result.get("error"))

    def _is_to_be_done(self, cell: EvaluateCell) -> bool:
        """Whether a cell can be measured and is yet to be; if it cannot, that is what becomes of it."""
        missing = next((source for source in self._sources(cell) if self._digest_of(source) is None), None)
        if missing is not None:
            reason = (self._store.read(missing) or {}).get("error", "?")
            error = f"its texts could not be generated: {reason}"
            self._fail(cell.id, {MADE_WITH: made_with(self._registry), "error": error})
            return False
        result = self._store.get(cell.id)
        if result is not None and result.get("inputs") == self._inputs(cell):
            self._progress.kept(cell.id)
            return False
        if result is not None:
            self._log.tell(f"made again: {cell.id} was measured on other texts.")
        return True

    def _fail(self, cell: str, result: dict[str, Any]) -> None:
        self._store.put(cell, result, {})
        self._progress.done(cell, None, result["error"])

    def _shards(self, cell: EvaluateCell) -> list[Shard]:
        texts = len(self._plan.texts[cell.language].prompts)
        shards = shards_of(texts, self._plan.experiment.batch_size)
        if cell.attack.name != NO_ATTACK and attack_of(self._registry, cell.attack).studied:
            return [Shard(0, 0, texts)]  # what it learns from the first texts it uses on all others
        return shards

    def _trial(self, cell: EvaluateCell, shard: Shard) -> Trial:
        shards, texts = self._shards(cell), self._plan.texts[cell.language]
        experiment = self._plan.experiment
        marked = self._texts(cell.generated, shard)
        plain = self._texts(cell.unmarked, shard) if experiment.negatives else []
        return Trial(
            cell,
            shard,
            (self._head(cell.generated) or NOTHING)["delta"],
            marked,
            [Pair(text["prompt"], text["text"]) for text in plain],
            texts.human[shard.slice_of(shards)],
            [] if cell.attack.name == NO_ATTACK else [pair.continuation for pair in texts.human],
            experiment.lengths,
            experiment.keys,
            experiment.negatives,
            experiment.key_per or "text",
            self._inputs(cell),
            self._beside(cell),
        )

    def _texts(self, cell: str, shard: Shard) -> list[dict[str, Any]]:
        head = self._head(cell) or NOTHING
        if "texts" in head:
            texts: list[dict[str, Any]] = head["texts"][shard.start : shard.stop]
            return texts
        part: list[dict[str, Any]] = (self._store.get(part_of(cell, shard.name)) or NOTHING)["texts"]
        return part

    def _measurement(self, cell: EvaluateCell) -> Measurement:
        experiment, shards = self._plan.experiment, self._shards(cell)
        small, one = in_one_file(shards), len(shards) == 1
        marked = self._head(cell.generated) or NOTHING
        plain = (self._head(cell.unmarked) if experiment.negatives else None) or NOTHING
        if one:
            marked = {**marked, "texts": list(self._store.texts(cell.generated))}
            plain = {"texts": list(self._store.texts(cell.unmarked))} if experiment.negatives else NOTHING
        names = [part_of(cell.id, shard.name) for shard in shards]
        return Measurement(
            cell,
            marked,
            plain,
            self._store.timing(cell.generated),
            self._store.timing(cell.unmarked),
            list(self._plan.texts[cell.language].human) if small else [],
            experiment.lengths,
            experiment.keys,
            experiment.negatives,
            experiment.metrics,
            self._inputs(cell),
            experiment.key_per or "text",
            experiment.temperature,
            self._beside(cell),
            [] if one else shards,
            [self._store.get(name) or {} for name in names] if small and not one else [],
            None if small else Parts(self._store.folder, self._experiment),
        )

    def _beside(self, cell: EvaluateCell) -> tuple[EvaluateCell, ...]:
        """Cells whose texts, marked or not, are those of this one."""
        same = (cell.model, cell.language, cell.seed, cell.attack)
        others = (one for one in self._plan.evaluate if one != cell)
        return tuple(one for one in others if (one.model, one.language, one.seed, one.attack) == same)

    def _sources(self, cell: EvaluateCell) -> list[str]:
        return [cell.generated, cell.unmarked] if self._plan.experiment.negatives else [cell.generated]

    def _inputs(self, cell: EvaluateCell) -> dict[str, str]:
        return {source: str(self._digest_of(source)) for source in self._sources(cell)}

    def _digest(self, cell: str) -> str | None:
        result = self._store.get(cell)
        return None if result is None else texts_digest(result)
