"""What happens to the texts of a shard of an evaluate cell: they are cut, attacked and tested."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from stela_models.logits import ModelLogits
from stela_models.surrogate import SurrogateLogits

from stela_core import Detection, Registry, StelaError, Surrogate, Watermark, Weighting
from stela_core.api import parse_parameters
from stela_run.attack import Attack, Circumstances
from stela_run.cells.bench import Bench
from stela_run.cells.detecting import Tester
from stela_run.cells.marks import without_key
from stela_run.cells.model_weights import ModelWeights
from stela_run.cells.outcome import Outcome, Token
from stela_run.cells.results import (
    ExpectedText,
    KeyedText,
    LengthResult,
    Result,
    ShardResult,
    Timing,
)
from stela_run.metric import Marked, Unmarked
from stela_run.plan.keys import Keys
from stela_run.plan.plan import NO_ATTACK, EvaluateCell
from stela_run.plan.schema import Experiment, Part
from stela_run.plan.shards import Shard
from stela_run.plan.texts import Pair
from stela_run.progress import Advance

SourceT = TypeVar("SourceT", KeyedText, Pair)


class Cut(NamedTuple, Generic[SourceT]):
    """A text as it is tested."""

    source: SourceT
    """The whole of it: a marked text as generated, or an unmarked one."""
    prompt: str
    text: str
    keys: list[int]
    """Keys under which it is tested, 64 bits each."""


@dataclass(frozen=True)
class ShardTest:
    """A shard of an evaluate cell, with what a worker needs to carry it out."""

    cell: EvaluateCell
    experiment: Experiment
    shard: Shard
    delta: float | None
    marked: list[KeyedText]
    unmarked: dict[str, list[Pair]]
    """The model's own texts and human ones by kind; none where none are asked for."""
    pool: list[str]
    """Human texts that the attack may take from: those of the whole cell."""
    siblings: tuple[EvaluateCell, ...] = ()
    """Cells of the same texts: what they ask of the model is worked out at once."""

    @property
    def part(self) -> str:
        """Which part of its cell this makes."""
        return self.shard.name

    @property
    def texts_of(self) -> tuple[object, ...]:
        """The same for tests of the same texts under the same mark, whatever the attack."""
        return self.cell.generated, self.cell.unmarked, self.cell.label, self.shard

    def run(self, bench: Bench, advance: Advance) -> tuple[Result, Timing]:
        """The tests by length, and how long they took; ``advance`` hears how many texts are tested.

        Raises:
            StelaError: attack or scheme cannot run.
        """
        began = time.perf_counter()
        tester = ShardTester(bench, self)
        lengths = {}
        for done, length in enumerate(longest_first(self.experiment.lengths), start=1):
            lengths[length] = tester.result(length)
            advance(done * len(self.marked))
        in_order = {length: lengths[length] for length in self.experiment.lengths}
        return ShardResult(lengths=in_order), {"seconds": time.perf_counter() - began}


class ShardTester:
    """Cut, attack and test the texts of a shard.

    Args:
        bench: keeps what is the same for the next attack on the shard.
        test: the shard.
    """

    def __init__(self, bench: Bench, test: ShardTest) -> None:
        self._bench = bench
        self._test = test
        self._keys = Keys.of_cell(test.cell, test.experiment)

    def result(self, length: int) -> LengthResult:
        """All tests at a length; errors as for :meth:`marked`."""
        marked = self.marked(length)
        scores = {"marked": [Outcome.of(text.detection, text.generated.prompt, text.key) for text in marked]}
        for kind in self._test.unmarked:
            scores[kind] = [
                Outcome.of(detection, text.prompt, key)
                for text in self.unmarked(kind, length)
                for detection, key in zip(text.detections, text.keys, strict=True)
            ]
        attacked = None if self._test.cell.attack.name == NO_ATTACK else [text.text for text in marked]
        example = Token.all_of(marked[0].detection) if marked else None
        expected = self._expected(length) if self._test.experiment.expected else None
        return LengthResult(scores, attacked, example, expected)

    def _expected(self, length: int) -> list[ExpectedText]:
        """What is expected along the model's texts, or human ones where the model writes none."""
        from stela_run.cells.expecting import expected_texts  # torch, which planning does without

        test, bench = self._test, self._bench
        cut = self.cut_unmarked("model" if test.experiment.unmarked_texts else "human", length)
        prompts = [each.prompt for each in cut]
        return expected_texts(
            bench.watermark(test.cell, test.delta),
            [evidence for [evidence] in self._tester.evidence([each.text for each in cut], prompts)],
            prompts,
            bench.models.load(test.cell.model),
            test.experiment.temperature,
            test.cell.seed,
        )

    def marked(self, length: int) -> list[Marked]:
        """The marked texts, cut, attacked and tested.

        Raises:
            StelaError: the attack cannot run, or learns from all texts there are.
        """
        cut = self.cut_marked(length)
        if self._test.cell.attack.name != NO_ATTACK:
            cut = self._attacked(cut, length)
        return as_marked(cut, self.detect(cut))

    def unmarked(self, kind: str, length: int) -> list[Unmarked]:
        """The unmarked texts of a kind, cut and tested: once for all attacks on the shard."""

        def make() -> list[Unmarked]:
            cut = self.cut_unmarked(kind, length)
            return as_unmarked(cut, self.detect(cut))

        return self._bench.latest.get(("unmarked", kind, length), self._test.texts_of, make)

    def cut_marked(self, length: int) -> list[Cut[KeyedText]]:
        """The marked texts that are long enough, each with the key of its prompt."""
        return [
            Cut(made, made.prompt, text, [self._keys.of(made.prompt)])
            for made in self._test.marked
            if (text := self._tester.cut(made.text, length))
        ]

    def cut_unmarked(self, kind: str, length: int) -> list[Cut[Pair]]:
        """The unmarked texts of a kind that are long enough.

        Where no prompt is known, their own words stand for it: their keys are drawn by them.
        """
        return [
            Cut(pair, pair.prompt, text, self._keys.all_of(pair.prompt or pair.continuation))
            for pair in self._test.unmarked[kind]
            if (text := self._tester.cut(pair.continuation, length))
        ]

    def detect(self, cut: Sequence[Cut[Any]]) -> list[list[Detection]]:
        """Each text under its keys."""
        return self._tester.detect(
            [each.text for each in cut], [each.prompt for each in cut], [each.keys for each in cut]
        )

    def _attacked(self, cut: list[Cut[KeyedText]], length: int) -> list[Cut[KeyedText]]:
        test, cell, bench = self._test, self._test.cell, self._bench
        circumstances = Circumstances(
            cell.language,
            cell.seed,
            [each.prompt for each in cut],
            test.pool,
            bench.models,
            bench.folder,
            cell.model,
            without_key(bench.watermark(cell, test.delta).profile),
        )
        attack = attack_of(bench.registry, cell.attack)
        left = cut[attack.studied :]
        if attack.studied and not left:
            raise StelaError(
                f'attack "{cell.attack.label}" learns from {attack.studied} texts, and {len(cut)} have '
                f"{length} tokens: none is left to attack.",
                "texts = a larger number, or fewer to learn from",
            )
        changed = attack.apply([each.text for each in cut], circumstances) if cut else []
        if len(changed) != len(left):
            raise StelaError(
                f'attack "{cell.attack.name}" gave {len(changed)} texts for {len(left)}.',
                "report it to the maker of the plugin",
            )
        return [each._replace(text=text) for each, text in zip(left, changed, strict=True)]

    @cached_property
    def _tester(self) -> Tester:
        test, bench = self._test, self._bench
        watermark = bench.watermark(test.cell, test.delta)
        weights = None
        if watermark.needs_model_to_detect:
            weights = bench.latest.get("weights", test.texts_of, lambda: self._model_weights(watermark))
        readings = test.experiment.readings
        return Tester(watermark, bench.models.load(test.cell.model), weights, readings)

    def _model_weights(self, watermark: Watermark) -> ModelWeights:
        """What the model says of the shard's texts, to this cell and its siblings."""
        test, bench = self._test, self._bench
        weightings = bench.latest.get(
            "weightings", (test.cell, test.delta), lambda: self._weightings(watermark.parts.evidence)
        )
        name = test.cell.entry.surrogate
        if name is None:
            logits = ModelLogits(*bench.models.load(test.cell.model))
            return ModelWeights(test.cell.model, logits, weightings, bench.weights)
        surrogate = Surrogate(*bench.models.load(name))
        logits = SurrogateLogits(surrogate, watermark.tokens, own="token" in watermark.parts.evidence.needs)
        return ModelWeights(f"surrogate {name}", logits, weightings, bench.weights, reads_prompts=False)

    def _weightings(self, asked: Weighting) -> list[Weighting]:
        """The cell's own and those of its siblings that ask for the same, where their strength is known."""
        test, weightings = self._test, [asked]
        for sibling in test.siblings:
            if sibling.entry.surrogate != test.cell.entry.surrogate:
                continue
            delta = sibling.entry.delta
            if sibling.entry.piloted:
                if sibling.generated != test.cell.generated:
                    continue
                delta = test.delta
            other = self._bench.marks.watermark(sibling, delta).parts.evidence
            if other.needs == asked.needs:
                weightings.append(other)
        return weightings


def as_marked(cut: list[Cut[KeyedText]], detections: Sequence[Sequence[Detection]]) -> list[Marked]:
    """Marked texts as metrics see them."""
    return [
        Marked(each.source, each.text, tests[0], each.keys[0])
        for each, tests in zip(cut, detections, strict=True)
    ]


def as_unmarked(cut: list[Cut[Pair]], detections: Sequence[Sequence[Detection]]) -> list[Unmarked]:
    """Unmarked texts as metrics see them."""
    return [
        Unmarked(each.prompt, each.text, tests, each.keys)
        for each, tests in zip(cut, detections, strict=True)
    ]


def longest_first(lengths: Sequence[int]) -> list[int]:
    """The order of the tests: a model that has read a text need not read its beginning."""
    return sorted(lengths, reverse=True)


def attack_of(registry: Registry, part: Part) -> Attack[Any]:
    """The attack that a part of an experiment file names."""
    attack = registry.get(Attack, part.name)
    return attack(parse_parameters(attack.Parameters, part.parameters, f'attack "{part.name}"'))
