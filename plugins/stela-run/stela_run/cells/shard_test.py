"""What happens to the texts of a shard of an evaluate cell: they are cut, attacked and tested."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stela_models.generation.generate import Generated
from stela_models.loaded import Models
from stela_models.logits import ModelLogits

from stela_core import Registry, StelaError, Watermark, Weighting
from stela_core.api import parse_parameters
from stela_run.attack import Attack, Circumstances
from stela_run.cells.detecting import Tester
from stela_run.cells.keys import Keys, key_of
from stela_run.cells.latest import Latest
from stela_run.cells.marks import Marks, without_key
from stela_run.cells.model_weights import ModelWeights
from stela_run.cells.outcome import Outcome, example_of
from stela_run.cells.results import KeyedText, LengthResult, ShardResult, Timing
from stela_run.cells.shards import Shard
from stela_run.metric import Marked, Unmarked
from stela_run.plan.plan import NO_ATTACK, EvaluateCell
from stela_run.plan.schema import Experiment, Part
from stela_run.plan.texts import Pair


@dataclass(frozen=True)
class ShardTest:
    """A shard of an evaluate cell, with what a worker needs to carry it out."""

    cell: EvaluateCell
    experiment: Experiment
    shard: Shard
    delta: float | None
    marked: list[KeyedText]
    plain: list[Pair]
    """Unmarked ones of the model."""
    human: list[Pair]
    pool: list[str]
    """Human texts that the attack may take from: those of the whole cell."""
    inputs: dict[str, str]
    """Digests of the texts by the id of the cell that generated them; kept with the result."""
    siblings: tuple[EvaluateCell, ...] = ()
    """Cells of the same texts: what they ask of the model is worked out at once."""

    @property
    def part(self) -> str:
        """Which part of its cell this makes."""
        return self.shard.name

    @property
    def keys(self) -> Keys:
        """Of its texts."""
        return Keys.of_cell(self.cell, self.experiment)

    @property
    def texts_of(self) -> tuple[object, ...]:
        """The same for tests of the same texts under the same mark, whatever the attack."""
        return self.cell.generated, self.cell.unmarked, self.cell.label, self.shard


class CutPair(NamedTuple):
    """An unmarked text, cut."""

    prompt: str
    text: str
    owner: str
    """What its keys are drawn by: its prompt, or its own words where no prompt is known."""


class ShardTester:
    """Cut, attack and test the texts of shards; what was tested without a mark is kept for the next attack.

    Args:
        registry: the plugins.
        marks: makes the watermarks.
        models: by name.
        folder: data folder.
        weights: folder where workers share what a model says of texts.
    """

    def __init__(
        self,
        registry: Registry,
        marks: Marks,
        models: Models,
        folder: Path | None,
        weights: Path | None = None,
    ) -> None:
        self._registry = registry
        self._marks = marks
        self._models = models
        self._folder = folder
        self._folder_of_weights = weights
        self._latest = Latest()

    def run(
        self, test: ShardTest, advance: Callable[[int], None] = lambda texts: None
    ) -> tuple[ShardResult, Timing]:
        """The tests of a shard by length, and their timing; ``advance`` hears how many texts are tested.

        Raises:
            StelaError: attack or scheme cannot run.
        """
        began = time.perf_counter()
        lengths = {}
        for done, length in enumerate(longest_first(test.experiment.lengths), start=1):
            marked = self.marked(test, length)
            model_text, human = self.unmarked(test, length)
            lengths[length] = LengthResult(
                {
                    "marked": [Outcome.of(t.detection, t.generated.prompt, t.key) for t in marked],
                    "model": _outcomes(model_text),
                    "human": _outcomes(human),
                },
                [text.text for text in marked] if test.cell.attack.name != NO_ATTACK else None,
                example_of(marked[0].detection) if marked else None,
            )
            advance(done * len(test.marked))
        result = ShardResult(inputs=test.inputs, lengths={n: lengths[n] for n in test.experiment.lengths})
        return result, {"seconds": time.perf_counter() - began}

    def watermark(self, cell: EvaluateCell, delta: float | None) -> Watermark:
        """The mark of a cell; the last one is kept, for the next shard."""
        made = (cell.model, cell.entry, cell.tagset, delta, key_of(cell.seed), cell.language)
        return self._latest.get("watermark", made, lambda: self._marks.watermark(*made))

    def tester(self, test: ShardTest) -> Tester:
        """What tests its texts."""
        watermark = self.watermark(test.cell, test.delta)
        weights = self._weights_by(test, watermark) if watermark.needs_model_to_detect else None
        return Tester(watermark, test.keys, self._models.load(test.cell.model), weights)

    def _weights_by(self, test: ShardTest, watermark: Watermark) -> ModelWeights:
        """What the model says of a shard's texts; kept until the next shard."""
        name = test.cell.model

        def make() -> ModelWeights:
            weightings = self._latest.get(
                "weightings", (test.cell, test.delta), lambda: self._weightings(test, watermark)
            )
            logits = ModelLogits(*self._models.load(name))
            return ModelWeights(name, logits, weightings, self._folder_of_weights)

        return self._latest.get("weights", test.texts_of, make)

    def _weightings(self, test: ShardTest, watermark: Watermark) -> list[Weighting[Any, Any]]:
        """All that are asked of the model for a cell's texts."""
        asked = watermark.parts.evidence
        others = (self._weighting(test, sibling) for sibling in test.siblings)
        return [asked, *(other for other in others if other is not None and other.needs == asked.needs)]

    def _weighting(self, test: ShardTest, sibling: EvaluateCell) -> Weighting[Any, Any] | None:
        """Of another cell of the texts; ``None`` where its strength is not known here."""
        delta = sibling.entry.delta
        if sibling.entry.mean_bias is not None:
            if sibling.generated != test.cell.generated:
                return None
            delta = test.delta
        made = (sibling.model, sibling.entry, sibling.tagset, delta, key_of(sibling.seed), sibling.language)
        return self._marks.watermark(*made).parts.evidence

    def cut(self, test: ShardTest, length: int) -> list[tuple[Generated, str]]:
        """The marked texts that are long enough, and what is left of each."""
        tester = self.tester(test)
        cut = [(generated, tester.cut(generated.text, length)) for generated in test.marked]
        return [(generated, text) for generated, text in cut if text]

    def marked(self, test: ShardTest, length: int) -> list[Marked]:
        """The marked texts, cut, attacked and tested.

        Raises:
            StelaError: the attack cannot run, or learns from all texts there are.
        """
        cut = self.cut(test, length)
        texts = [text for _, text in cut]
        if test.cell.attack.name != NO_ATTACK:
            cut, texts = self._attacked(test, cut, length)
        prompts = [generated.prompt for generated, _ in cut]
        detections = self.tester(test).marked(texts, prompts)
        generated = [generated for generated, _ in cut]
        keys = map(test.keys.of, prompts)
        return [Marked(*row) for row in zip(generated, texts, detections, keys, strict=True)]

    def _attacked(
        self, test: ShardTest, cut: list[tuple[Generated, str]], length: int
    ) -> tuple[list[tuple[Generated, str]], list[str]]:
        cell, texts = test.cell, [text for _, text in cut]
        circumstances = Circumstances(
            cell.language,
            cell.seed,
            [generated.prompt for generated, _ in cut],
            test.pool,
            self._models,
            self._folder,
            cell.model,
            without_key(self.watermark(cell, test.delta).profile),
        )
        attack = attack_of(self._registry, cell.attack)
        left = cut[attack.studied :]
        if attack.studied and not left:
            raise StelaError(
                f'attack "{cell.attack.label}" learns from {attack.studied} texts, and {len(texts)} have '
                f"{length} tokens: none is left to attack.",
                "texts = a larger number, or fewer to learn from",
            )
        changed = attack.apply(texts, circumstances) if texts else []
        if len(changed) != len(left):
            raise StelaError(
                f'attack "{cell.attack.name}" gave {len(changed)} texts for {len(left)}.',
                "report it to the maker of the plugin",
            )
        return left, changed

    def unmarked(self, test: ShardTest, length: int) -> tuple[list[Unmarked], list[Unmarked]]:
        """The model's own texts and the human ones, cut and tested; none where none are asked for."""
        if not test.experiment.negatives:
            return [], []

        def make() -> tuple[list[Unmarked], list[Unmarked]]:
            model_text, human = (self.cut_pairs(test, pairs, length) for pairs in (test.plain, test.human))
            return self.tested(test, model_text), self.tested(test, human)

        return self._latest.get(("unmarked", length), test.texts_of, make)

    def tested(self, test: ShardTest, cut: Sequence[CutPair]) -> list[Unmarked]:
        """Unmarked texts under all their keys."""
        prompts, texts, owners = ([pair[column] for pair in cut] for column in range(3))
        detections = self.tester(test).unmarked(texts, prompts, owners)
        keys = map(test.keys.all_of, owners)
        return [Unmarked(*row) for row in zip(prompts, texts, detections, keys, strict=True)]

    def cut_pairs(self, test: ShardTest, pairs: Sequence[Pair], length: int) -> list[CutPair]:
        """Those that are long enough, cut."""
        tester = self.tester(test)
        cut = [(pair, tester.cut(pair.continuation, length)) for pair in pairs]
        return [CutPair(pair.prompt, text, pair.prompt or pair.continuation) for pair, text in cut if text]


def longest_first(lengths: Sequence[int]) -> list[int]:
    """The order of the tests: a model that has read a text need not read its beginning."""
    return sorted(lengths, reverse=True)


def attack_of(registry: Registry, part: Part) -> Attack[Any]:
    """The attack that a part of an experiment file names."""
    attack = registry.get(Attack, part.name)
    return attack(parse_parameters(attack.Parameters, part.parameters, f'attack "{part.name}"'))


def _outcomes(texts: Sequence[Unmarked]) -> list[Outcome]:
    return [
        Outcome.of(detection, text.prompt, key)
        for text in texts
        for detection, key in zip(text.detections, text.keys, strict=True)
    ]
