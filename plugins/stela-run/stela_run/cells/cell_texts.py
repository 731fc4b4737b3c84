"""An evaluate cell by its shards: what is to be tested of each, and the texts of all as metrics see them.

What is wanted of all shards is a long list, of which a few shards are in memory at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar, overload

from stela_core import Detection
from stela_run.cells.bench import Bench
from stela_run.cells.outcome import Outcome, Token
from stela_run.cells.results import KINDS, ExpectedText, ShardResult
from stela_run.cells.shard_test import ShardTest, ShardTester, as_marked, as_unmarked
from stela_run.cells.store import Store, part_of
from stela_run.metric import Marked, Unmarked
from stela_run.plan.plan import EvaluateCell
from stela_run.plan.schema import Experiment
from stela_run.plan.shards import LARGEST, Shard
from stela_run.plan.texts import Pair

T = TypeVar("T")


class DoneShard(NamedTuple):
    """A shard as it was tested, and what was found."""

    test: ShardTest
    result: ShardResult


@dataclass(frozen=True)
class CellShards:
    """Shards of a cell by reference: a worker is told the place of the store, unless the shards are held."""

    cell: EvaluateCell
    experiment: Experiment
    delta: float | None
    store: Store
    generated: list[Shard]
    """Shards that its texts were generated in."""
    shards: list[Shard]
    """Shards that its texts are tested in: the same, or one of all texts."""
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
        return DoneShard(self.test(number), self.store.require(part, ShardResult))

    def test(self, number: int, pool: Sequence[str] = ()) -> ShardTest:
        """What is to be tested of a shard; errors as for :meth:`tested`.

        Args:
            number: of the shard.
            pool: human texts that the attack may take from.
        """
        store, cell, shard = self.store, self.cell, self.shards[number]
        parts = [part for part in self.generated if shard.start <= part.start and part.stop <= shard.stop]
        unmarked: dict[str, list[Pair]] = {"model": [], "human": []}
        if self.experiment.unmarked_texts:
            unmarked["model"] = [Pair(text.prompt, text.text) for text in store.texts(cell.unmarked, parts)]
        if self.experiment.negatives:
            unmarked["human"] = list(store.human(cell.language, parts))
        marked = [] if self.experiment.expected else list(store.texts(cell.generated, parts))
        return ShardTest(
            cell, self.experiment, shard, self.delta, marked, unmarked, list(pool), self.siblings
        )


class CellTexts:
    """Texts of a cell, and detections whose evidence is worked out again where it is looked at.

    Args:
        bench: for cutting the texts, and testing those of a shard again.
        shards: all have been tested.
    """

    def __init__(self, bench: Bench, shards: CellShards) -> None:
        self._bench = bench
        self._numbers = range(len(shards.shards))
        self._tested = lru_cache(maxsize=2)(shards.tested)
        self._counts = cache(self._count)
        self._keys = shards.experiment.keys
        self._threshold = bench.watermark(shards.cell, shards.delta).profile.alpha

    def marked(self, length: int) -> Sequence[Marked]:
        """The marked texts at a length."""
        return Paged(self._counts(length)["marked"], lambda number: self._marked(number, length), LARGEST)

    def unmarked(self, kind: str, length: int) -> Sequence[Unmarked]:
        """The unmarked texts of a kind at a length."""
        counts = [count // self._keys for count in self._counts(length)[kind]]
        return Paged(counts, lambda number: self._unmarked(number, kind, length), LARGEST)

    def expected(self, length: int) -> list[ExpectedText]:
        """What is expected of each text at a length; none where nothing is asked for."""
        shards = (self._tested(number).result.lengths[length].expected for number in self._numbers)
        return [one for shard in shards for one in shard or ()]

    def example(self, length: int) -> list[Token] | None:
        """Tokens of the first marked text; ``None`` where there is none."""
        examples = (self._tested(number).result.lengths[length].example for number in self._numbers)
        return next((example for example in examples if example is not None), None)

    def _count(self, length: int) -> dict[str, list[int]]:
        """Tests of each shard, by kind."""
        counts: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for number in self._numbers:
            scores = self._tested(number).result.lengths[length].scores
            for kind in KINDS:
                counts[kind].append(len(scores[kind]))
        return counts

    def _marked(self, number: int, length: int) -> list[Marked]:
        test, result = self._tested(number)
        tester, tests = ShardTester(self._bench, test), result.lengths[length]
        outcomes = tests.scores["marked"]
        cut = tester.cut_marked(length)
        cut = cut[len(cut) - len(outcomes) :]  # without those that an attack learns from
        if tests.attacked is not None:
            cut = [each._replace(text=text) for each, text in zip(cut, tests.attacked, strict=True)]
        return as_marked(cut, self._kept(outcomes, 1, lambda: tester.detect(cut)))

    def _unmarked(self, number: int, kind: str, length: int) -> list[Unmarked]:
        test, result = self._tested(number)
        tester = ShardTester(self._bench, test)
        cut = tester.cut_unmarked(kind, length)
        outcomes = result.lengths[length].scores[kind]
        return as_unmarked(cut, self._kept(outcomes, self._keys, lambda: tester.detect(cut)))

    def _kept(
        self, outcomes: Sequence[Outcome], keys: int, detect: Callable[[], list[list[Detection]]]
    ) -> list[list[Detection]]:
        """The detections of texts under each of their keys; ``detect`` makes them again, at most once."""
        again = cache(detect)
        detections = [
            _detection(outcome, self._threshold, lambda n=number: again()[n // keys][n % keys])  # type: ignore[misc]
            for number, outcome in enumerate(outcomes)
        ]
        return [detections[start : start + keys] for start in range(0, len(detections), keys)]


class EvidenceAgain:
    """Evidence of a detection, which is too large to be kept: worked out where something of it is asked."""

    def __init__(self, again: Callable[[], Detection]) -> None:
        self._again = again

    def __getattr__(self, name: str) -> Any:
        return getattr(self._again().evidence, name)


def _detection(outcome: Outcome, threshold: float, again: Callable[[], Detection]) -> Detection:
    """What the test of a text found; ``again`` tests it once more."""
    return Detection(
        verdict=outcome.verdict,
        p_value=outcome.p_value,
        z=outcome.z,
        z_plain=outcome.z_plain,
        scored_tokens=outcome.scored_tokens,
        unique_pairs=outcome.unique_pairs,
        green_fraction=outcome.green_fraction,
        threshold=threshold,
        evidence=EvidenceAgain(again),
        estimate=lambda: again().power,
        foreign_scores=outcome.foreign_scores,
        readings=outcome.readings,
    )


class Paged(Sequence[T]):
    """Items in order, of which a few shards are in memory at a time.

    Args:
        counts: how many items each shard has.
        load: gives those of a shard, by its place in ``counts``.
        most: items that are kept in memory, at least those of one shard.
    """

    def __init__(self, counts: Sequence[int], load: Callable[[int], Sequence[T]], most: int) -> None:
        self._counts = counts
        self._ends = list(accumulate(counts, initial=0))
        self._load = load
        self._shard = lru_cache(maxsize=max(1, most // max([1, *counts])))(self._loaded)

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        shard = bisect_right(self._ends, number) - 1
        return self._shard(shard)[number - self._ends[shard]]

    def __iter__(self) -> Iterator[T]:
        for shard in range(len(self._counts)):
            yield from self._shard(shard)

    def _loaded(self, shard: int) -> Sequence[T]:
        items = self._load(shard)
        if len(items) != self._counts[shard]:  # or else iterating would give other items than indexing
            raise ValueError(f"shard {shard} has {len(items)} items, not the number that was announced")
        return items
