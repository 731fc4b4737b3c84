"""Texts as long as something is open: shards of all schemes in rounds, until their comparisons are decided.

After each round the paired differences of the longest length without attack are looked at
(:mod:`stela_run.statistics.anytime`), corrected for all of them (Holm). A scheme whose comparisons in a
language are decided gets no more texts there. The shards are those of any run, so that the rest of the run
finds them made and tested, and a run that was stopped goes through the same rounds again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from stela_core import Hasher, Registry
from stela_core.api import resolve_scheme
from stela_run.cells.cell_texts import CellShards
from stela_run.cells.generating import Order
from stela_run.cells.job import Finished
from stela_run.cells.outcome import Outcome
from stela_run.cells.results import Failure, GeneratedShard, ShardResult, Strength
from stela_run.cells.shard_test import ShardTest
from stela_run.cells.store import Store, part_of
from stela_run.plan.plan import EvaluateCell, GenerateCell, Plan, untouched
from stela_run.plan.shards import PILOT, Shard, shards_of
from stela_run.progress import Progress
from stela_run.statistics.anytime import anytime
from stela_run.statistics.families import LEVEL, holm, pairs_of
from stela_run.statistics.roc import scores_of

Scores = dict[str, dict[int, tuple[float, float]]]
"""z and -log10 p by the digest of the prompt, in the order of the prompts, and by seed."""


@dataclass
class Compared:
    """A scheme in a language: its cells without attack, one for each seed."""

    cells: list[EvaluateCell] = field(default_factory=list)
    scores: Scores = field(default_factory=dict)
    chooses: bool = False
    """Whether its mark chooses tokens: its z is of another kind."""
    failed: bool = False
    open: bool = True


@dataclass
class Pair:
    """Two schemes that are compared."""

    one: Compared
    other: Compared
    p: float = 1.0

    def look(self) -> None:
        """Work the p-value out, of the prompts that both have."""
        which = 1 if self.one.chooses or self.other.chooses else 0
        means = []
        for prompt in (prompt for prompt in self.one.scores if prompt in self.other.scores):
            first, second = self.one.scores[prompt], self.other.scores[prompt]
            if seeds := first.keys() & second.keys():
                means.append(np.mean([first[seed][which] - second[seed][which] for seed in sorted(seeds)]))
        if means:
            self.p = anytime(np.array(means)).p


class Deciding:
    """Rounds of a run.

    Args:
        plan: of the run, whose strengths are set.
        store: where results are kept.
        progress: hears of them.
        registry: the plugins.
    """

    def __init__(self, plan: Plan, store: Store, progress: Progress, registry: Registry) -> None:
        self._plan, self._store, self._progress = plan, store, progress
        self._length = max(plan.experiment.lengths)
        self._generate = {cell.id: cell for cell in plan.generate}
        self._failed: set[str] = set()
        self.counts = dict.fromkeys(self._generate, 0)
        """Shards of each generate cell so far."""
        plain = untouched([attack.label for attack in plan.experiment.attacks])
        groups: dict[tuple[str, str], dict[str, Compared]] = {}
        for cell in plan.evaluate:
            if cell.attack.label == plain:
                schemes = groups.setdefault((cell.model, cell.language), {})
                schemes.setdefault(cell.label, Compared(chooses=_chooses(registry, cell))).cells.append(cell)
        self._schemes = [scheme for group in groups.values() for scheme in group.values()]
        self._pairs = [Pair(*pair) for group in groups.values() for pair in pairs_of([*group.values()])]
        self._by_cell = {cell.id: scheme for scheme in self._schemes for cell in scheme.cells}
        self._round = 0

    @property
    def open(self) -> bool:
        """Whether there is anything left to decide, and texts to decide it by."""
        return any(scheme.open for scheme in self._schemes)

    def orders(self) -> Iterator[Order]:
        """Texts of the round that are not there."""
        experiment = self._plan.experiment
        for cell, shard in self._generated():
            self.counts[cell.id] = shard.number + 1
            pilot = self._store.get(part_of(cell.id, PILOT), Strength)
            if cell.entry.piloted and pilot is None:
                self._failed.add(cell.id)
            elif not self._store.has(part_of(cell.id, shard.name)):
                prompts = self._plan.texts[cell.language].prompts[shard.start : shard.stop]
                yield Order(cell, experiment, shard, prompts, None if pilot is None else pilot.value)

    def tests(self) -> Iterator[ShardTest]:
        """Tests of the round that are not there."""
        for scheme in self._schemes:
            for cell in scheme.cells if scheme.open and not scheme.failed else ():
                shard = self._shard(cell)
                if shard is None or {cell.generated, cell.unmarked} & self._failed:
                    continue
                human = self._plan.texts[cell.language].human
                self._store.put_human(cell.language, human, self._shards(cell))
                if self._tested(cell, shard) is None:
                    yield self._held(cell, shard).test(0)

    def take(self, done: Finished) -> None:
        """Keep what became of a piece of work; the rest of the run does again what failed, and records it."""
        if isinstance(done.result, Failure):
            self._failed.add(done.id)
            if done.id in self._by_cell:
                self._by_cell[done.id].failed = True
            return
        result = done.result
        if isinstance(result, ShardResult):
            cell = next(cell for cell in self._by_cell[done.id].cells if cell.id == done.id)
            result = replace(result, inputs=inputs_of_shard(self._store, self._plan, cell, done.part))
        elif isinstance(result, GeneratedShard):
            self._progress.part(done.id, done.part, len(result.texts))
        self._store.put(part_of(done.id, done.part), result, done.timing)

    def look(self) -> None:
        """End a round: read its tests, and close what is decided."""
        for scheme in self._schemes:
            for cell in scheme.cells if scheme.open else ():
                self._read(scheme, cell)
        for pair in self._pairs:
            if pair.one.open or pair.other.open:
                pair.look()
        decided = [p <= LEVEL for p in holm([pair.p for pair in self._pairs])]
        self._round += 1
        for scheme in self._schemes:
            left = any(
                not done and scheme in (pair.one, pair.other)
                for pair, done in zip(self._pairs, decided, strict=True)
            )
            more = any(self._shard(cell) is not None for cell in scheme.cells)
            scheme.open = scheme.open and left and more and not scheme.failed

    def _read(self, scheme: Compared, cell: EvaluateCell) -> None:
        shard = self._shard(cell)
        tested = None if shard is None else self._tested(cell, shard)
        if tested is None:
            scheme.failed = True
            return
        outcomes: list[Outcome] = tested.lengths[self._length].scores["marked"]
        p_values = np.array([one.p_value for one in outcomes], dtype=np.float64)
        evidence = scores_of(np.nan_to_num(p_values, nan=1.0))
        for one, score in zip(outcomes, evidence, strict=True):
            of_prompt = scheme.scores.setdefault(one.text, {})
            of_prompt[cell.seed] = (float(np.nan_to_num(one.z)), float(score))

    def _generated(self) -> Iterator[tuple[GenerateCell, Shard]]:
        """The generate cells that open schemes need, each once, with the round's shard."""
        needed: dict[str, Shard] = {}
        for scheme in self._schemes:
            for cell in scheme.cells if scheme.open and not scheme.failed else ():
                shard = self._shard(cell)
                for name in (cell.unmarked, cell.generated):
                    if shard is not None and name in self._generate and name not in self._failed:
                        needed[name] = shard
        yield from ((self._generate[name], shard) for name, shard in needed.items())

    def _shards(self, cell: EvaluateCell) -> list[Shard]:
        return shards_of(len(self._plan.texts[cell.language].prompts), self._plan.experiment.batch_size)

    def _shard(self, cell: EvaluateCell) -> Shard | None:
        """The shard of the round; ``None`` where there are no more."""
        shards = self._shards(cell)
        return shards[self._round] if self._round < len(shards) else None

    def _held(self, cell: EvaluateCell, shard: Shard) -> CellShards:
        pilot = self._store.get(part_of(cell.generated, PILOT), Strength)
        delta = None if pilot is None else pilot.value
        return CellShards(cell, self._plan.experiment, delta, self._store, [shard], [shard])

    def _tested(self, cell: EvaluateCell, shard: Shard) -> ShardResult | None:
        """The tests of a shard, if they are there and are those of its texts, or of all of the cell."""
        tested = self._store.get(part_of(cell.id, shard.name), ShardResult)
        if tested is None:
            return None
        whole = {source: self._store.digest(source) for source in tested.inputs}
        own = inputs_of_shard(self._store, self._plan, cell, shard.name)
        return tested if tested.inputs in (own, whole) else None


def inputs_of_shard(store: Store, plan: Plan, cell: EvaluateCell, shard: str) -> dict[str, str]:
    """Digests of the texts of a shard, by the id of the cell that generated them."""
    sources = [cell.generated, cell.unmarked] if plan.experiment.unmarked_texts else [cell.generated]
    return {source: str(store.digest(part_of(source, shard))) for source in sources}


def _chooses(registry: Registry, cell: EvaluateCell) -> bool:
    return registry.get(Hasher, resolve_scheme(registry, cell.entry.name).scheme.hasher).samples
