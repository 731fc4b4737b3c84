"""What an evaluate cell does: cut, attack, detect, measure, at each length."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from stela_core.generation.generate import Generated
from stela_core.interfaces.weighting import Need
from stela_core.models.load import LanguageModel
from stela_core.models.loaded import Models
from stela_core.models.logits import ModelLogits
from stela_core.parameters import parse_parameters
from stela_core.profile.schema import Profile
from stela_core.registry.components import Registry
from stela_core.registry.manager import reason_of
from stela_core.runner.attack import Attack, Circumstances
from stela_core.runner.cells.detecting import Tester
from stela_core.runner.cells.detection_rows import beside, example_of, number, outcome_of, outcomes_of
from stela_core.runner.cells.keys import Keys, key_of
from stela_core.runner.cells.marks import Marks, profile_facts, without_key
from stela_core.runner.cells.model_weights import ModelWeights
from stela_core.runner.cells.shards import WHOLE
from stela_core.runner.metric import Marked, Metric, Sample, Unmarked
from stela_core.runner.plan.plan import NO_ATTACK, EvaluateCell
from stela_core.runner.plan.schema import KeyPer, Part
from stela_core.runner.plan.texts import Pair


@dataclass(frozen=True)
class Measurement:
    """An evaluate cell, with what a worker needs to carry it out."""

    cell: EvaluateCell
    marked: dict[str, Any]
    """Result of the cell that generated its texts."""
    plain: dict[str, Any]
    """Result of the cell that generated unmarked ones."""
    marked_timing: dict[str, Any]
    plain_timing: dict[str, Any]
    human: list[Pair]
    lengths: list[int]
    keys: int
    negatives: bool
    metrics: list[Part]
    inputs: dict[str, str] = field(default_factory=dict)
    """Digests of the texts by the id of the cell that generated them; kept with the result."""
    key_per: KeyPer = "text"
    temperature: float = 0.7
    beside: tuple[EvaluateCell, ...] = ()
    """Cells of the same texts: what they ask of the model is worked out at once."""

    @property
    def part(self) -> str:
        """All of the cell."""
        return WHOLE


class Evaluator:
    """Carry out evaluate cells; tests of unmarked texts are kept for the next attack.

    Args:
        registry: the plugins.
        marks: makes watermarks.
        models: holds language models.
        folder: what the paths of an experiment are relative to.
        weights: folder where workers share what a model says of texts.
    """

    def __init__(
        self,
        registry: Registry,
        marks: Marks,
        models: Models,
        folder: Path | None = None,
        weights: Path | None = None,
    ) -> None:
        self._weights = weights
        self._registry = registry
        self._folder = folder
        self._marks = marks
        self._models = models
        self._kept: tuple[object, dict[int, tuple[list[Unmarked], list[Unmarked]]]] = (None, {})

    def run(
        self, item: Measurement, advance: Callable[[int], None] = lambda texts: None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Results of a cell, and its timings; ``advance`` hears how many texts are measured.

        Raises:
            StelaError: attack or scheme cannot run; a metric that fails is told in the results.
        """
        began = time.perf_counter()
        cell = item.cell
        watermark = self._marks.watermark(
            cell.model, cell.entry, cell.tagset, item.marked["delta"], key_of(cell.seed), cell.language
        )
        keys = Keys(cell.seed, item.key_per, item.keys)
        language_model = self._models.load(cell.model)
        weights = None
        if watermark.needs_model_to_detect:
            weights = self._weights_by(item, language_model, watermark.parts.evidence.needs)
        tester = Tester(watermark, keys, language_model, weights)
        generated = [_generated(text) for text in item.marked["texts"]]
        plain = [Pair(text["prompt"], text["text"]) for text in item.plain["texts"]]
        result: dict[str, Any] = {
            "inputs": item.inputs,
            "delta": item.marked["delta"],
            **profile_facts(watermark, item.key_per),
            **({"samples": True} if watermark.parts.hasher.samples else {}),
            "lengths": {},
        }
        timed: dict[str, Any] = {}
        # The longest first: a model that has read a text need not read its beginning.
        for place, length in enumerate(sorted(item.lengths, reverse=True), start=1):
            marked = self._marked(cell, tester, watermark.profile, generated, item.human, length, keys)
            model_text: list[Unmarked] = []
            human: list[Unmarked] = []
            if item.negatives:
                model_text, human = self._unmarked(cell, tester, plain, item.human, length, keys)
            sample = Sample(
                language=cell.language,
                length=length,
                seed=cell.seed,
                marked=marked,
                model_text=model_text,
                human=human,
                watermark=watermark,
                model=cell.model,
                models=self._models,
                seconds_per_token=item.marked_timing.get("seconds_per_token", float("nan")),
                plain_seconds_per_token=item.plain_timing.get("seconds_per_token", float("nan")),
                temperature=item.temperature,
            )
            values, times, errors, each = self._measure(item, sample)
            timed[str(length)] = times
            result["lengths"][str(length)] = {
                "values": values,
                "each": each,
                "errors": errors,
                "scores": {
                    "marked": [outcome_of(one.detection, one.generated.prompt, one.key) for one in marked],
                    "model": outcomes_of(model_text),
                    "human": outcomes_of(human),
                },
                "attacked": [one.text for one in marked] if cell.attack.name != NO_ATTACK else None,
                "example": example_of(marked[0].detection) if marked else None,
                "beside": beside(marked[0].generated.prompt, model_text, human) if marked else None,
            }
            advance(place * len(generated))
        for by_length in (result["lengths"], timed):
            ordered = {str(length): by_length[str(length)] for length in item.lengths}
            by_length.clear()
            by_length.update(ordered)
        return result, {"seconds": time.perf_counter() - began, "lengths": timed}

    def _weights_by(
        self, item: Measurement, language_model: LanguageModel, needs: frozenset[Need]
    ) -> ModelWeights:
        """Weights by the model, for this cell and for those beside it."""
        cell, delta = item.cell, item.marked["delta"]
        weightings = []
        for other in (cell, *item.beside):
            calibrated = other.entry.mean_bias is not None
            if calibrated and other.generated != cell.generated:
                continue  # its delta is not known here
            of = self._marks.watermark(
                other.model,
                other.entry,
                other.tagset,
                delta if calibrated else other.entry.delta,
                key_of(cell.seed),
                cell.language,
            )
            if of.parts.evidence.needs == needs:
                weightings.append(of.parts.evidence)
        return ModelWeights(cell.model, ModelLogits(*language_model), weightings, self._weights)

    def _marked(
        self,
        cell: EvaluateCell,
        tester: Tester,
        profile: Profile,
        generated: Sequence[Generated],
        human: list[Pair],
        length: int,
        keys: Keys,
    ) -> list[Marked]:
        cut = [(one, tester.cut(one.text, length)) for one in generated]
        kept = [(one, text) for one, text in cut if text]
        texts = [text for _, text in kept]
        prompts = [one.prompt for one, _ in kept]
        if cell.attack.name != NO_ATTACK:
            circumstances = Circumstances(
                cell.language,
                cell.seed,
                prompts,
                [pair.continuation for pair in human],
                self._models,
                self._folder,
                cell.model,
                without_key(profile),
            )
            attack = self._attack(cell.attack)
            kept, prompts = kept[attack.studied :], prompts[attack.studied :]
            if attack.studied and not kept:
                raise StelaError(
                    f'attack "{cell.attack.label}" learns from {attack.studied} texts, and {len(texts)} have '
                    f"{length} tokens: none is left to attack.",
                    "texts = a larger number, or fewer to learn from",
                )
            texts = attack.apply(texts, circumstances)
            if len(texts) != len(prompts):
                raise StelaError(
                    f'attack "{cell.attack.name}" gave {len(texts)} texts for {len(prompts)}.',
                    "report it to the maker of the plugin",
                )
        detections = tester.marked(texts, prompts)
        own = [keys.of(prompt) for prompt in prompts]
        rows = zip([one for one, _ in kept], texts, detections, own, strict=True)
        return [Marked(*row) for row in rows]

    def _unmarked(
        self,
        cell: EvaluateCell,
        tester: Tester,
        plain: list[Pair],
        human: list[Pair],
        length: int,
        keys: Keys,
    ) -> tuple[list[Unmarked], list[Unmarked]]:
        place = (cell.generated, cell.unmarked, cell.label)
        if self._kept[0] != place:
            self._kept = (place, {})
        kept = self._kept[1]
        if length not in kept:
            kept[length] = (_test(tester, keys, plain, length), _test(tester, keys, human, length))
        return kept[length]

    def _attack(self, part: Part) -> Attack:
        attack = self._registry.get(Attack, part.name)
        return attack(parse_parameters(attack.Parameters, part.parameters, f'attack "{part.name}"'))

    def _measure(
        self, item: Measurement, sample: Sample
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, str], dict[str, list[float | None]]]:
        values: dict[str, Any] = {}
        times: dict[str, Any] = {}
        errors: dict[str, str] = {}
        each: dict[str, list[float | None]] = {}
        for part in item.metrics:
            metric = self._registry.get(Metric, part.name)
            if item.cell.attack.name != NO_ATTACK and not metric.attacked:
                continue
            try:
                parameters = parse_parameters(metric.Parameters, part.parameters, f'metric "{part.name}"')
                measured = metric(parameters).measure(sample)
            except StelaError as error:
                errors[part.label] = str(error)
                continue
            except Exception as error:
                errors[part.label] = reason_of(error)
                continue
            target = times if metric.timed else values
            for value in measured:
                target[value.name] = [number(value.value), number(value.low), number(value.high), value.n]
                if value.each is not None and not metric.timed:
                    each[value.name] = [number(one) for one in value.each]
        return values, times, errors, each


def _generated(text: dict[str, Any]) -> Generated:
    """Of what a cell's file says of a text: its key stands there, too."""
    return Generated(**{name: value for name, value in text.items() if name != "key"})


def _test(tester: Tester, keys: Keys, pairs: Sequence[Pair], length: int) -> list[Unmarked]:
    cut = [(pair, tester.cut(pair.continuation, length)) for pair in pairs]
    kept = [(pair, text) for pair, text in cut if text]
    # A human text whose prompt is not known has the keys of its own words.
    owners = [pair.prompt or pair.continuation for pair, _ in kept]
    prompts, texts = [pair.prompt for pair, _ in kept], [text for _, text in kept]
    rows = zip(prompts, texts, tester.unmarked(texts, prompts, owners), owners, strict=True)
    return [
        Unmarked(prompt, text, detections, keys.all_of(owner)) for prompt, text, detections, owner in rows
    ]
