"""What an evaluate cell does: its texts are cut, attacked and tested, shard by shard, and then measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from stela_models.loaded import Models

from stela_core import Registry, StelaError
from stela_core.api import parse_parameters, reason_of
from stela_run.cells.detection_rows import beside, example_of, number, outcome_of, outcomes_of
from stela_run.cells.kept_detection import row_of
from stela_run.cells.marks import Marks, profile_facts
from stela_run.cells.parts import Parts
from stela_run.cells.restored import Restored
from stela_run.cells.shards import WHOLE, Shard
from stela_run.cells.store import PARTS
from stela_run.cells.trials import Trial, Trials, longest_first
from stela_run.metric import Marked, Metric, Sample, Unmarked
from stela_run.plan.plan import NO_ATTACK, EvaluateCell
from stela_run.plan.schema import KeyPer, Part
from stela_run.plan.texts import Pair


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
    shards: list[Shard] = field(default_factory=list)
    """Those that were tested before; without any the texts are tested here."""
    tried: list[dict[str, Any]] = field(default_factory=list)
    """What was said of each shard; of a cell kept in parts it is read from the folder, as its texts are."""
    parts: Parts | None = None
    """Where that is."""

    @property
    def part(self) -> str:
        """All of the cell."""
        return WHOLE

    def trial(self, shard: Shard | None = None) -> Trial:
        """A shard of its texts; by default all of them."""
        place = slice(None) if shard is None else shard.slice_of(self.shards)
        if self.parts is None or shard is None:
            marked, plain = (one["texts"][place] for one in (self.marked, self.plain))
            human = self.human[place]
        else:
            marked = self.parts.texts(self.cell.generated, shard)
            plain = self.parts.texts(self.cell.unmarked, shard) if self.negatives else []
            human = self.parts.human(self.cell.language, shard)
        return Trial(
            self.cell,
            shard or Shard(0, 0, len(marked)),
            self.marked["delta"],
            marked,
            [Pair(text["prompt"], text["text"]) for text in plain],
            human,
            [] if shard is not None else [pair.continuation for pair in self.human],
            self.lengths,
            self.keys,
            self.negatives,
            self.key_per,
            self.inputs,
            self.beside,
        )


class Evaluator:
    """Carry out evaluate cells, and the tests of their shards."""

    def __init__(
        self,
        registry: Registry,
        marks: Marks,
        models: Models,
        folder: Path | None = None,
        weights: Path | None = None,
    ) -> None:
        self._registry = registry
        self._models = models
        self._trials = Trials(registry, marks, models, folder, weights)

    def test(
        self, item: Trial, advance: Callable[[int], None] = lambda texts: None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Tests of a shard, and their timing; ``advance`` hears how many texts are tested.

        Raises:
            StelaError: attack or scheme cannot run.
        """
        began = time.perf_counter()
        return self._trials.rows(item, advance), {"seconds": time.perf_counter() - began}

    def run(
        self, item: Measurement, advance: Callable[[int], None] = lambda texts: None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Results of a cell, and its timings; ``advance`` hears how many texts are measured.

        Raises:
            StelaError: attack or scheme cannot run; a metric that fails is told in the results.
        """
        began = time.perf_counter()
        cell = item.cell
        watermark = self._trials.watermark(cell, item.marked["delta"])
        restored = self._restored(item) if item.shards else None
        whole = item.trial() if restored is None else None
        result: dict[str, Any] = {
            "inputs": item.inputs,
            "delta": item.marked["delta"],
            **profile_facts(watermark, item.key_per),
            **({"samples": True} if watermark.parts.hasher.samples else {}),
            **({} if item.parts is None else {PARTS: {shard.name: None for shard in item.shards}}),
            "lengths": {},
        }
        timed: dict[str, Any] = {}
        for place, length in enumerate(longest_first(item.lengths), start=1):
            marked: Sequence[Marked]
            model_text: Sequence[Unmarked]
            human: Sequence[Unmarked]
            if restored is not None:
                marked, model_text, human = restored.at(length)
            else:
                assert whole is not None
                marked = self._trials.marked(whole, length)
                model_text, human = self._trials.unmarked(whole, length)
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
                **self._tests(item, length, marked, model_text, human),
                "example": (example_of(marked[0].detection) if marked else None)
                if restored is None
                else restored.example(length),
                "beside": beside(marked[0].generated.prompt, model_text, human) if marked else None,
            }
            if restored is None:
                advance(place * len(item.marked["texts"]))
        for by_length in (result["lengths"], timed):
            ordered = {str(length): by_length[str(length)] for length in item.lengths}
            by_length.clear()
            by_length.update(ordered)
        return result, {"seconds": time.perf_counter() - began, "lengths": timed}

    def _restored(self, item: Measurement) -> Restored:
        @lru_cache(maxsize=2)
        def trial(number: int) -> Trial:
            return item.trial(item.shards[number])

        @lru_cache(maxsize=2)
        def tried(number: int) -> dict[str, Any]:
            if item.parts is None:
                return item.tried[number]
            return item.parts.tried(item.cell.id, item.shards[number])

        return Restored(self._trials, len(item.shards), trial, tried)

    def _tests(
        self,
        item: Measurement,
        length: int,
        marked: Sequence[Marked],
        model_text: Sequence[Unmarked],
        human: Sequence[Unmarked],
    ) -> dict[str, Any]:
        """What the cell's file holds of the tests: all, or nothing where they stay in parts."""
        if item.parts is not None:
            return (
                {"test": outcome_of(marked[0].detection, marked[0].generated.prompt, marked[0].key)}
                if marked
                else {}
            )
        attacked = item.cell.attack.name != NO_ATTACK
        if item.shards:
            shards = [one["lengths"][str(length)] for one in item.tried]
            scores = {
                kind: [row_of(row) for one in shards for row in one["scores"][kind]]
                for kind in ("marked", "model", "human")
            }
            texts = [text for one in shards for text in one["attacked"] or []]
            return {"scores": scores, "attacked": texts if attacked else None}
        return {
            "scores": {
                "marked": [outcome_of(one.detection, one.generated.prompt, one.key) for one in marked],
                "model": outcomes_of(model_text),
                "human": outcomes_of(human),
            },
            "attacked": [one.text for one in marked] if attacked else None,
        }

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
