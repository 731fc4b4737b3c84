"""A new kind of signal is one file: its law and its mark in a plugin, and everything else works with it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from stela_models.generation.generate import Sampling, generate
from stela_testing import SamplingHasherContract

import stela_core as stela
from tests.sampling.dice import Dice, Die
from tests.tiers import Draws

PLUGIN = Path(__file__).with_name("dice.py")
TEXT = "The city lies on a river. The river is wide, and the city is old. Nobody knows how old it is. "
KEYS = 1500


class TestDice(SamplingHasherContract):
    undistorted = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Dice(Dice.Parameters(context_width=2), 5)


def test_its_tail_is_the_share_of_throws() -> None:
    weights = np.array([1.0, 0.5, 0.0, 0.25])
    throws = np.array(list(product(range(6), repeat=4)), dtype=np.float64)
    sums = throws @ weights
    for throw, total in zip(throws[::17], sums[::17], strict=True):
        assert Die().tail(throw, weights, True) == pytest.approx((sums >= total).mean(), rel=1e-12)
    assert Die().least_tail(weights) == pytest.approx(6**-3)


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry([PLUGIN])


def made(scheme: str, key: int, registry: stela.Registry) -> stela.Watermark:
    return stela.create(scheme, "tiny", key=f"{key:016x}", language="en", registry=registry, min_tokens=8)


@pytest.mark.slow
def test_p_values_of_unmarked_text_are_valid(registry: stela.Registry, draws: Draws) -> None:
    """P(p <= a) <= a over random keys, through the detector, of a text that repeats itself."""
    detector = made("dice", 1, registry).detector
    [evidence] = detector.evidence(detector.ids_of([TEXT * 2 + "So it is said."]))
    assert len(np.unique(evidence.groups)) < 0.8 * len(evidence.groups)
    composition, p = detector.composition, []
    keys = draws(KEYS, 400)
    for key in range(keys):
        other = detector.with_composition(replace(composition, hasher=composition.hasher.under(key)))
        p.append(other.judge(other.recoloured(evidence)).p_value)
    values = np.array(p)
    assert len(np.unique(values)) > 50
    for alpha in (0.5, 0.2, 0.05, 0.01):
        assert (values <= alpha).mean() <= alpha + 4 * math.sqrt(alpha * (1 - alpha) / keys)
    assert values.mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.deep(keep=["dice"])
@pytest.mark.parametrize("scheme", ["dice", pytest.param("dice+learned-text", marks=pytest.mark.slow)])
def test_marked_text_is_found_and_other_text_is_not(registry: stela.Registry, scheme: str) -> None:
    watermark = made(scheme, 1, registry)
    model = stela.load_model("tiny", registry=registry)
    sampling = Sampling(max_new_tokens=120, min_new_tokens=120, seed=3)
    [[marked]] = generate(watermark, model, ["The history of the city"], sampling, 1)
    found = watermark.detect(marked.text)
    assert found.verdict == "watermarked"
    assert found.p_value < 1e-4
    assert found.z > 3
    assert sum(bool(token.green) for token in found.tokens) > 0.6 * found.scored_tokens
    assert made(scheme, 2, registry).detect(marked.text).p_value > 1e-3
    assert watermark.detect("So short a text").verdict == "insufficient text"
