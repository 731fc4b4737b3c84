"""Costs of marks against every split of six tokens, and the strength that is set by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import expm1, log
from pathlib import Path

import numpy as np
import pytest
import torch
from stela_models.generation.generate import Generated
from stela_models.load import load_model
from stela_run.cells.generating import Pilot
from stela_run.cells.job import RunCells
from stela_run.cells.marks import Marks
from stela_run.cells.results import Failure, Strength
from stela_run.cost.keyed_laws import EXPECTED, KeyedLaws, pools_of
from stela_run.cost.pilot import MOST, delta_for
from stela_run.cost.places import Place, cost_at, keys_for, places_of
from stela_run.cost.value import Cost
from stela_run.plan.plan import GenerateCell
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.plan.shards import Shard
from stela_run.testing import PROMPTS, make_sample

import stela_core as stela
from tests.tiers import Draws

P = np.array([0.4, 0.25, 0.2, 0.1, 0.04, 0.01])
TOKENS = [1000, 1007, 1100, 1500, 1777, 2001]
WIDTH = 2002
"""Of the logits: a vocabulary's other tokens, which cannot come, would only take time."""
EXPERIMENT = {"model": "tiny", "lengths": [60], "languages": {"en": {"tagger": "penn"}}, "metrics": []}
IDS = [300, 400, 500, 600, 700, 800]
"""Of the text before the position."""


def watermark_of(registry: stela.Registry, name: str, **entry: float) -> stela.Watermark:
    scheme = SchemeEntry.model_validate({"name": name, **entry})
    return Marks(registry, Path()).watermark(GenerateCell("tiny", "en", 0, scheme, TagSet(tagger="penn"), ""))


def place_of(temperature: float = 1.0, ids: list[int] = IDS) -> Place:
    """A position where the model has P over six tokens, after its temperature."""
    logits = torch.full((WIDTH,), -torch.inf)
    logits[TOKENS] = temperature * torch.from_numpy(np.log(P)).float()
    return Place(0, ids, logits)


def by_all_splits(delta: float, gamma: float, p: np.ndarray = P) -> Cost:
    """The definitions, over the 2 ** n splits of n tokens, each with its probability."""
    mean, per_key = np.zeros(len(p)), 0.0
    for split in product((0, 1), repeat=len(p)):
        green = np.array(split)
        chance = gamma ** green.sum() * (1 - gamma) ** (1 - green).sum()
        law = p * (1 + expm1(delta) * green)
        law /= law.sum()
        mean += chance * law
        per_key += chance * (law * np.log(law / p)).sum()
    return Cost((mean * np.log(mean / p)).sum(), -((mean - p) * np.log(p)).sum(), per_key)


@pytest.mark.parametrize(
    ("delta", "gamma", "temperature", "message"),
    [(1.0, 0.5, 1.0, {}), (2.0, 0.25, 1.0, {}), (1.4, 0.5, 0.7, {}), (1.4, 0.5, 1.0, {"bits": 16})],
)
def test_green_list_against_all_splits(
    registry: stela.Registry,
    draws: Draws,
    delta: float,
    gamma: float,
    temperature: float,
    message: dict[str, int],
) -> None:
    """To four standard errors, over runs of 256 keys each; logits are raised before the temperature.

    A message, another under each key, costs nothing. In ``make test`` four errors are a third of the
    divergence; a bias that is not removed is half of it.
    """
    watermark = watermark_of(registry, "kgw", delta=delta, gamma=gamma, **message)
    expected = by_all_splits(delta / temperature, gamma)
    place = place_of(temperature)
    keys = [keys_for(watermark, 256, 5, number) for number in range(draws(100, 12))]
    runs = np.array([cost_at(watermark, place, temperature, of_run) for of_run in keys])
    error = runs.std(axis=0, ddof=1) / len(runs) ** 0.5
    assert (np.abs(runs.mean(axis=0) - expected) < 4 * error + 1e-5).all()
    assert error[0] < expected.divergence / 8


@pytest.mark.parametrize("gamma", [None, 0.5])
def test_bias_that_is_removed(gamma: float | None, draws: Draws) -> None:
    """Without it 64 keys would say several times as much. Knowing gamma halves the error at least."""
    random, runs = np.random.default_rng(0), draws(400, 150)
    expected = by_all_splits(1.0, 0.5)
    corrected, plain = [], []
    for _ in range(runs):
        green = random.random((64, len(P))) < 0.5
        laws = P * np.exp(green)
        laws /= laws.sum(axis=1, keepdims=True)
        sums = KeyedLaws(torch.from_numpy(np.log(P)), gamma=gamma)
        sums.add(torch.from_numpy(np.log(laws)), torch.from_numpy(green) if gamma else None)
        corrected.append(sums.cost().divergence)
        mean = laws.mean(axis=0)
        plain.append((mean * np.log(mean / P)).sum())
    assert np.mean(plain) > 3 * expected.divergence
    error = np.std(corrected, ddof=1) / len(corrected) ** 0.5
    assert error < (3.5e-5 if gamma else 7e-5) * (400 / runs) ** 0.5
    assert np.mean(corrected) == pytest.approx(expected.divergence, abs=4 * error)


def test_keys_in_any_batches(registry: stela.Registry) -> None:
    scores, marked = torch.randn(50), torch.randn(40, 50)
    whole, parts = KeyedLaws(scores), KeyedLaws(scores)
    whole.add(marked)
    for start in range(0, 40, 7):
        parts.add(marked[start : start + 7])
    assert whole.cost() == pytest.approx(parts.cost(), abs=1e-6)


@pytest.mark.deep(keep=["gumbel"])
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["gumbel", "synthid", "unbiased-dip", "unbiased-gamma", "unbiased-delta"])
def test_marks_without_distortion_cost_nothing(registry: stela.Registry, scheme: str, draws: Draws) -> None:
    watermark = watermark_of(registry, scheme)
    place = place_of()
    runs = np.array(
        [cost_at(watermark, place, 1.0, keys_for(watermark, 128, 5, n)) for n in range(draws(60, 20))]
    )
    error = runs.std(axis=0, ddof=1) / len(runs) ** 0.5
    assert (np.abs(runs.mean(axis=0)[:2]) < 4 * error[:2]).all()
    assert error[0] < 0.005
    if scheme in ("gumbel", "unbiased-delta"):  # a token for certain under each key
        assert runs[:, 2].mean() == pytest.approx(-(P * np.log(P)).sum(), abs=4 * error[2] + 1e-5)


def test_a_choice_that_distorts_is_seen() -> None:
    """The likeliest token always: its divergence is -log p, of pools as of tokens."""
    scores = torch.from_numpy(np.log(P))
    laws = KeyedLaws(scores, pools_of(scores, 256))
    chosen = torch.full((256, len(P)), -torch.inf)
    chosen[:, 0] = 0.0
    laws.add(chosen)
    cost = laws.cost()
    assert cost.divergence == pytest.approx(-log(P[0]))
    assert cost.per_key == pytest.approx(-log(P[0]))
    assert cost.surprisal == pytest.approx(-log(P[0]) + (P * np.log(P)).sum())


@pytest.mark.parametrize("keys", [4, 16, 64, 1000])
def test_pools(keys: int) -> None:
    scores = torch.randn(5000, generator=torch.Generator().manual_seed(keys)) * 3
    scores[::7] = -torch.inf
    pools = pools_of(scores, keys)
    mass = torch.zeros(int(pools.max()) + 1).index_add_(0, pools, scores.softmax(dim=-1))
    assert mass.min() >= min(1.0, EXPECTED / keys / 2) - 1e-6
    own = scores.softmax(dim=-1) >= EXPECTED / keys
    assert len(mass) >= own.sum()
    assert len(set(pools[own].tolist())) == own.sum()


def test_a_token_that_is_not_marked_costs_nothing(registry: stela.Registry) -> None:
    watermark = watermark_of(registry, "kgw", delta=2.0)
    place = place_of(ids=[])
    assert cost_at(watermark, place, 1.0, keys_for(watermark, 16, 0, 0)) == Cost()


def test_places_are_those_of_the_text(registry: stela.Registry) -> None:
    """The model's logits there, but for ids that end a text; the first tokens alone."""
    model = load_model(registry, "tiny", "cpu")
    ids = model.tokenizer("The old town had a market every week.", add_special_tokens=False)["input_ids"]
    text = text_of("In the morning", ids)
    places = list(places_of(model, [text, text_of("The", [])], 5, 3, seed=1))
    assert len(places) == 3
    assert all(place.text == 0 and len(place.ids) < 5 for place in places)
    prompt = model.tokenizer("In the morning")["input_ids"]
    for place in places:
        assert place.ids == ids[: len(place.ids)]
        with torch.no_grad():
            logits = model.model(torch.tensor([[*prompt, *place.ids]])).logits[0, -1]
        kept = torch.isfinite(place.logits)
        assert kept.sum() >= len(logits) - 2
        assert torch.allclose(place.logits[kept], logits[kept], atol=1e-4)


def text_of(prompt: str, ids: list[int]) -> Generated:
    return Generated(prompt, "", ids, [None] * len(ids), 0.0)


@pytest.mark.parametrize("target", [1e-5, 0.01, 0.03])
def test_delta_for_a_divergence(target: float) -> None:
    calls = []

    def divergence(delta: float) -> float:
        calls.append(delta)
        return by_all_splits(delta, 0.5).divergence

    delta = delta_for(target, divergence, "kgw")
    assert by_all_splits(delta, 0.5).divergence == pytest.approx(target, rel=0.05)
    assert len(calls) <= 7


def test_a_divergence_out_of_reach() -> None:
    with pytest.raises(
        stela.StelaError, match=r'^scheme "kgw" reaches a divergence of 0\.\d+ at most, and 5 is'
    ):
        delta_for(5.0, lambda delta: by_all_splits(min(delta, MOST), 0.5).divergence, "kgw")


@pytest.mark.deep(stand_in="test_marks_without_distortion_cost_nothing")
@pytest.mark.slow
def test_schemes_at_equal_divergence(tmp_path: Path, registry: stela.Registry) -> None:
    """A pilot on other draws sets delta: what is measured then is near the divergence asked for."""
    target = 0.01
    experiment = parse_experiment({**EXPERIMENT, "schemes": [{"name": "stela", "divergence": target}]}, "it")
    job = RunCells.of(registry, tmp_path, "cpu")
    job.start()
    entry = experiment.schemes[0].model_copy(update={"calibration": "tokens"})
    cell = GenerateCell("tiny", "en", 0, entry, TagSet(tagger="penn"), "it")
    made = job.run(Pilot(cell, experiment, Shard(0, 0, 8), list(PROMPTS))).result
    assert isinstance(made, Strength)
    assert 1 < made.value < 6
    sample = make_sample(registry, "stela", length=60, keys=1, delta=made.value, seed=3)
    watermark, texts = sample.watermark, [one.generated for one in sample.marked]
    places = places_of(sample.models.load("tiny"), texts, 60, 30, seed=4)
    costs = [cost_at(watermark, place, 0.7, keys_for(watermark, 32, 4, place.text)) for place in places]
    assert np.mean([cost.divergence for cost in costs]) == pytest.approx(target, rel=0.5)
    huge = replace(cell, entry=entry.model_copy(update={"divergence": 20.0}))
    failed = job.run(Pilot(huge, experiment, Shard(0, 0, 2), list(PROMPTS[:2]))).result
    assert isinstance(failed, Failure)
    assert "at most, and 20 is asked for" in failed.error


def test_cells_without_a_divergence_have_the_ids_that_they_had() -> None:
    assert "divergence" not in SchemeEntry(name="kgw").model_dump()
    assert SchemeEntry(name="kgw", divergence=0.1).model_dump()["divergence"] == 0.1
