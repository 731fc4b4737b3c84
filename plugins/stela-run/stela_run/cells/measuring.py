"""What becomes of an evaluate cell whose shards are tested: metrics measure it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from stela_models.loaded import Models

from stela_core import Registry, StelaError
from stela_core.api import parse_parameters, reason_of
from stela_run.cells.cell_shards import CellShards
from stela_run.cells.cell_texts import CellTexts
from stela_run.cells.marks import profile_facts
from stela_run.cells.outcome import Outcome, beside, number
from stela_run.cells.results import MeasuredCell, MeasuredLength, Timing
from stela_run.cells.shard_test import ShardTester, longest_first
from stela_run.cells.shards import WHOLE
from stela_run.metric import Metric, Sample
from stela_run.plan.plan import NO_ATTACK, EvaluateCell


@dataclass(frozen=True)
class Measurement:
    """An evaluate cell, with what a worker needs to carry it out."""

    shards: CellShards
    seconds_per_token: float = math.nan
    """Of generation with the mark."""
    plain_seconds_per_token: float = math.nan
    """Of generation without."""

    @property
    def cell(self) -> EvaluateCell:
        """That is measured."""
        return self.shards.cell

    @property
    def part(self) -> str:
        """All of the cell."""
        return WHOLE


class Measurer:
    """Measure cells."""

    def __init__(self, registry: Registry, tester: ShardTester, models: Models) -> None:
        self._registry = registry
        self._tester = tester
        self._models = models

    def run(self, item: Measurement) -> tuple[MeasuredCell, Timing]:
        """Results of a cell, and its timings.

        Raises:
            StelaError: a shard is missing; a metric that fails is told in the results.
        """
        began = time.perf_counter()
        shards, cell, experiment = item.shards, item.cell, item.shards.experiment
        watermark = self._tester.watermark(cell, shards.delta)
        texts = CellTexts(self._tester, shards)
        measured: dict[int, MeasuredLength] = {}
        timed: dict[int, dict[str, Any]] = {}
        for length in longest_first(experiment.lengths):
            marked, model_text, human = texts.at(length)
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
                seconds_per_token=item.seconds_per_token,
                plain_seconds_per_token=item.plain_seconds_per_token,
                temperature=experiment.temperature,
            )
            measured[length] = MeasuredLength()
            if marked:
                prompt = marked[0].generated.prompt
                measured[length] = MeasuredLength(
                    test=Outcome.of(marked[0].detection, prompt, marked[0].key).columns(),
                    example=texts.example(length),
                    beside=beside(prompt, model_text, human),
                )
            timed[length] = self._measure(item, sample, measured[length])
        profile_sha256, key_id = profile_facts(watermark, experiment.key_per or "text")
        result = MeasuredCell(
            inputs=shards.inputs,
            delta=shards.delta,
            profile_sha256=profile_sha256,
            key_id=key_id,
            samples=watermark.parts.hasher.samples,
            parts={shard.name: None for shard in shards.shards},
            lengths={length: measured[length] for length in experiment.lengths},
        )
        return result, {
            "seconds": time.perf_counter() - began,
            "lengths": {length: timed[length] for length in experiment.lengths},
        }

    def _measure(self, item: Measurement, sample: Sample, measured: MeasuredLength) -> dict[str, Any]:
        """Add what metrics find at a length; returns the values that are times."""
        times: dict[str, Any] = {}
        for part in item.shards.experiment.metrics:
            metric = self._registry.get(Metric, part.name)
            if item.cell.attack.name != NO_ATTACK and not metric.attacked:
                continue
            try:
                parameters = parse_parameters(metric.Parameters, part.parameters, f'metric "{part.name}"')
                values = metric(parameters).measure(sample)
            except StelaError as error:
                measured.errors[part.label] = str(error)
                continue
            except Exception as error:
                measured.errors[part.label] = reason_of(error)
                continue
            for value in values:
                row = [number(value.value), number(value.low), number(value.high), value.n]
                (times if metric.timed else measured.values)[value.name] = row
                if value.each is not None and not metric.timed:
                    measured.each[value.name] = [number(each) for each in value.each]
        return times
