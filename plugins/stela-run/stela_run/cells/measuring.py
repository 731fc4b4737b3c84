"""What becomes of an evaluate cell whose shards are tested: metrics measure it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from stela_core import Registry, StelaError
from stela_core.api import contained, parse_parameters, reason_of
from stela_run.cells.bench import Bench
from stela_run.cells.cell_texts import CellShards, CellTexts
from stela_run.cells.marks import profile_facts
from stela_run.cells.outcome import Outcome, number
from stela_run.cells.results import (
    EXPECTED_Z,
    Beside,
    ExpectedText,
    Measured,
    MeasuredCell,
    MeasuredLength,
    Result,
    Shown,
    Timing,
)
from stela_run.cells.shard_test import longest_first
from stela_run.cost.knob import knob_of
from stela_run.intervals import mean_value
from stela_run.metric import Metric, Sample, Unmarked, Value
from stela_run.plan.plan import NO_ATTACK, EvaluateCell
from stela_run.plan.shards import WHOLE
from stela_run.progress import Advance


@dataclass(frozen=True)
class Measurement:
    """An evaluate cell, with what a worker needs to carry it out."""

    shards: CellShards
    seconds_per_token: float = math.nan
    """Seconds a token of generation with the mark."""
    plain_seconds_per_token: float = math.nan
    """Seconds a token of generation without a mark."""

    @property
    def cell(self) -> EvaluateCell:
        """Cell that is measured."""
        return self.shards.cell

    @property
    def part(self) -> str:
        """All of the cell."""
        return WHOLE

    def run(self, bench: Bench, advance: Advance) -> tuple[Result, Timing]:
        """What metrics find at each length, and how long they took; one that fails is told in the results.

        Raises:
            StelaError: a shard is missing.
        """
        began = time.perf_counter()
        shards, experiment = self.shards, self.shards.experiment
        watermark = bench.watermark(self.cell, shards.delta)
        texts = CellTexts(bench, shards)
        measured: dict[int, MeasuredLength] = {}
        timed: dict[int, dict[str, Measured]] = {}
        for length in longest_first(experiment.lengths):
            sample = Sample(
                language=self.cell.language,
                length=length,
                seed=self.cell.seed,
                marked=texts.marked(length),
                model_text=texts.unmarked("model", length),
                human=texts.unmarked("human", length),
                watermark=watermark,
                model=self.cell.model,
                models=bench.models,
                seconds_per_token=self.seconds_per_token,
                plain_seconds_per_token=self.plain_seconds_per_token,
                temperature=experiment.temperature,
            )
            measured[length] = MeasuredLength()
            if sample.marked:
                first = sample.marked[0]
                measured[length] = MeasuredLength(
                    test=Outcome.of(first.detection, first.generated.prompt, first.key).columns(),
                    example=texts.example(length),
                    beside=beside(first.generated.prompt, sample),
                )
            if experiment.expected:
                measured[length].values.update(expected_values(texts.expected(length), self.cell.seed))
            timed[length] = self._measure(bench.registry, sample, measured[length])
        profile_sha256, key_id = profile_facts(watermark, experiment.key_per or "text")
        entry = self.cell.entry
        knob = knob_of(bench.registry, entry).parameter if entry.piloted else None
        result = MeasuredCell(
            delta=shards.delta,
            knob=None if knob == "delta" else knob,
            profile_sha256=profile_sha256,
            key_id=key_id,
            samples=watermark.parts.hasher.samples,
            lengths={length: measured[length] for length in experiment.lengths},
        )
        return result, {
            "seconds": time.perf_counter() - began,
            "lengths": {length: timed[length] for length in experiment.lengths},
        }

    def _measure(self, registry: Registry, sample: Sample, measured: MeasuredLength) -> dict[str, Measured]:
        """Add what metrics find at a length; returns the values that are times."""
        times: dict[str, Measured] = {}
        for part in self.shards.experiment.metrics:
            metric = registry.get(Metric, part.name)
            if self.cell.attack.name != NO_ATTACK and not metric.attacked:
                continue
            try:
                with contained:
                    metric.require_draws(self.shards.experiment.top_p)
                    parameters = parse_parameters(metric.Parameters, part.parameters, f'metric "{part.name}"')
                    values = [*metric(parameters).measure(sample)]
            except StelaError as error:
                measured.errors[part.label] = str(error)
                continue
            except Exception as error:
                measured.errors[part.label] = reason_of(error)
                continue
            for value in values:
                entry = Measured(number(value.value), number(value.low), number(value.high), value.n)
                (times if metric.timed else measured.values)[value.name] = entry
                if value.each is not None and not metric.timed:
                    measured.each[value.name] = [number(each) for each in value.each]
        return times


def expected_values(texts: Sequence[ExpectedText], seed: int) -> dict[str, Measured]:
    """Means over texts, with bootstrap intervals; and the standard error of z over the keys drawn, if any."""
    if not texts:
        return {}
    values = [
        mean_value(name, [getattr(one, field) for one in texts], seed)
        for name, field in ((EXPECTED_Z, "z"), ("bias", "bias"), ("surprisal", "surprisal"))
    ]
    error = math.sqrt(sum(one.error**2 for one in texts)) / len(texts)
    values += [Value(f"{EXPECTED_Z}-error", error, n=len(texts))] if error else []
    return {one.name: Measured(one.value, one.low, one.high, one.n) for one in values}


def beside(prompt: str, sample: Sample) -> Beside:
    """What the report shows next to the example: the unmarked texts after its prompt."""
    return {
        "prompt": prompt,
        "model": _shown(prompt, sample.model_text),
        "human": _shown(prompt, sample.human),
    }


def _shown(prompt: str, texts: Sequence[Unmarked]) -> Shown | None:
    same = next((text for text in texts if text.prompt == prompt), None)
    if same is None:
        return None
    test = same.detections[0]
    return {"text": same.text, "z": number(test.z), "p_value": number(test.p_value)}
