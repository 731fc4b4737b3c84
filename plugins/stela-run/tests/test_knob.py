"""The parameter by which a pilot sets a scheme: which one it is, and that it reaches what is asked for."""

from __future__ import annotations

from math import exp
from pathlib import Path

import numpy as np
import pytest
import torch
from stela_run.cells.generating import Pilot
from stela_run.cells.job import RunCells
from stela_run.cells.results import Strength
from stela_run.cost.knob import DECLARED, DELTA, Knob, knob_of
from stela_run.cost.pilot import NEAR, value_for
from stela_run.cost.places import Place, bias_at, cost_at, keys_for, places_of
from stela_run.plan.plan import GenerateCell
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.plan.shards import Shard
from stela_run.testing import PROMPTS, make_sample

import stela_core as stela
from stela_core.api import resolve_scheme

from .test_cost import EXPERIMENT, IDS, TOKENS, place_of, watermark_of

DECLARING = ("morphmark", "sweet", "coupling", "textgrain")
VOCABULARY = 8192
"""Ids of the model: coupling and textgrain hash all of them."""


@pytest.mark.parametrize("ends", [(0.0, 8.0), (16.0, 0.0)])
@pytest.mark.parametrize("target", [0.01, 0.3])
def test_the_value_has_the_cost_asked_for(ends: tuple[float, float], target: float) -> None:
    """Whichever way the cost grows, and however it bends; the slope is that of the curve."""
    calls = []

    def cost(value: float) -> float:
        calls.append(value)
        share = (value - ends[0]) / (ends[1] - ends[0])
        return 1 - exp(-((3 * share) ** 2))

    value, slope = value_for(target, cost, ends, "it", "surprisal")
    assert cost(value) == pytest.approx(target, rel=NEAR)
    step = 0.001 * (ends[1] - ends[0])
    assert slope == pytest.approx((cost(value + step) - cost(value - step)) / (2 * step), rel=0.5)
    assert len(calls) <= 12


def test_a_cost_out_of_reach() -> None:
    with pytest.raises(
        stela.StelaError, match=r'"it" reaches a divergence per key of 0\.5 at most, and 2 is'
    ):
        value_for(2.0, lambda value: value / 2, (0.0, 1.0), "it", "divergence_per_key")


@pytest.mark.parametrize(
    ("entry", "knob"),
    [
        ({"name": "kgw", "surprisal": 0.1}, DELTA),
        ({"name": "sweet", "mean_bias": 1.0}, DELTA),
        ({"name": "sweet", "mean_bias": 1.0, "delta": 2.0}, Knob("threshold", 16.0, 0.0)),
        ({"name": "morphmark+uniform", "surprisal": 0.1}, Knob("k", 0.0, 8.0)),
        ({"name": "coupling", "divergence": 0.1}, Knob("lowering", 0.0, 10.0)),
        ({"name": "textgrain", "divergence_per_key": 0.1}, Knob("budget", 0.0, 1.0, "divergence_per_key")),
        ({"name": "kgw", "mean_bias": 1.0, "delta": 2.0}, "has a delta, which sets its mean bias"),
        ({"name": "gumbel", "surprisal": 0.1}, "has no delta to set its surprisal by"),
        ({"name": "textgrain", "surprisal": 0.1}, 'budget of scheme "textgrain" does not set its surprisal'),
        ({"name": "coupling", "mean_bias": 1.0}, "does not set its mean bias"),
        ({"name": "morphmark", "tpr": 0.9}, "does not set its tpr"),
    ],
)
def test_which_parameter(registry: stela.Registry, entry: dict[str, object], knob: Knob | str) -> None:
    given = SchemeEntry.model_validate(entry)
    if isinstance(knob, Knob):
        assert knob_of(registry, given) == knob
        return
    with pytest.raises(stela.StelaError, match=knob):
        knob_of(registry, given)


@pytest.mark.parametrize("name", DECLARING)
def test_what_is_declared_costs_nothing_at_the_weakest_and_more_from_there(
    registry: stela.Registry, name: str
) -> None:
    parameter, weakest, strongest, *aim = getattr(resolve_scheme(registry, name).scheme, DECLARED)
    logits = torch.full((VOCABULARY,), -torch.inf)
    logits[TOKENS] = torch.tensor([0.8, 0.1, 0.05, 0.03, 0.01, 0.01]).log()
    least, most = (
        cost_at(mark, Place(0, IDS, logits), 1.0, keys_for(mark, 256, 5, 0)).of(
            aim[0] if aim else "surprisal"
        )
        for value in (weakest, strongest)
        if (mark := watermark_of(registry, name, parameters={parameter: value}))  # type: ignore[arg-type]
    )
    # One key gives coupling's one token: the mean over 256 keys has an error of some 0.05.
    assert least == pytest.approx(0, abs=0.2 if name == "coupling" else 1e-6)
    assert most > least + 0.05


def test_a_value_of_the_pilot_is_that_of_the_knob(registry: stela.Registry) -> None:
    """In the mark, and of its bias: at threshold 0 every token has delta."""
    job = RunCells.of(registry, Path(), "cpu")
    job.start()
    entry = SchemeEntry(name="sweet", delta=2.0, surprisal=0.1, calibration="tokens")
    cell = GenerateCell("tiny", "en", 0, entry, TagSet(tagger="penn"), "it")
    assert job.bench is not None
    for value, bias in ((0.0, 2.0), (10.0, 0.0)):
        mark = job.bench.watermark(cell, value)
        assert mark.profile.scheme.parameters["threshold"] == value
        assert bias_at(mark, place_of(), keys_for(mark, 4, 0, 0)) == bias


@pytest.mark.deep(stand_in="test_what_is_declared_costs_nothing_at_the_weakest_and_more_from_there")
@pytest.mark.slow
@pytest.mark.parametrize(("aim", "target"), [("surprisal", 0.15), ("mean_bias", 1.0)])
def test_morphmark_reaches_what_others_do(registry: stela.Registry, aim: str, target: float) -> None:
    """A pilot on other draws sets k: what is measured then is near what was asked for."""
    content = {**EXPERIMENT, "schemes": [{"name": "morphmark", aim: target}]}
    experiment = parse_experiment(content, "it")
    job = RunCells.of(registry, Path(), "cpu")
    job.start()
    entry = experiment.schemes[0].model_copy(update={"calibration": "tokens"})
    cell = GenerateCell("tiny", "en", 0, entry, TagSet(tagger="penn"), "it")
    made = job.run(Pilot(cell, experiment, Shard(0, 0, 8), list(PROMPTS))).result
    assert isinstance(made, Strength)
    sample = make_sample(registry, "morphmark", length=60, keys=1, parameters={"k": made.value}, seed=3)
    texts = [one.generated for one in sample.marked]
    if aim == "mean_bias":
        assert np.mean([text.mean_bias for text in texts]) == pytest.approx(target, rel=0.3)
        return
    places = places_of(sample.models.load("tiny"), texts, 60, 30, seed=4)
    mark = sample.watermark
    costs = [cost_at(mark, place, 0.7, keys_for(mark, 32, 4, place.text)).surprisal for place in places]
    assert np.mean(costs) == pytest.approx(target, rel=0.4)
