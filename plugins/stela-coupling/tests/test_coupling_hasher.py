"""The mark: the contract, its colours and its parts."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from stela_coupling import Coupling
from stela_models.generation.generate import Sampling, generate
from stela_testing import SamplingHasherContract

import stela_core as stela
from stela_core.api import mix, resolve_scheme

KEY = 0x0123456789ABCDEF


def coupling(**parameters: object) -> Coupling:
    return Coupling(Coupling.Parameters.model_validate(parameters), KEY)


class TestCoupling(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return coupling()


class TestLowered(SamplingHasherContract):
    undistorted = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return coupling(lowering=0.3, context_width=1)


def test_colours_are_the_upper_bits() -> None:
    hasher = coupling()
    seeds = hasher.seeds(np.arange(40).reshape(10, 4))
    tokens = np.arange(10) * 7
    expected = [float(int(number) >= 2**31) for number in mix(seeds, tokens)]
    assert hasher.draws(seeds, tokens)[:, 0].tolist() == expected
    assert hasher.law == stela.Bernoulli(0.5)
    assert hasher.first_only
    assert not coupling(once=False).first_only


def test_marks_keep_the_type_and_draw_green() -> None:
    """Of 400 tokens equally likely, hardly a red one is left, in any type."""
    hasher = coupling()
    seeds = hasher.seeds(np.arange(12).reshape(3, 4))
    green = np.array([hasher.draws(np.full(400, seed), np.arange(400))[:, 0] > 0 for seed in seeds])
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        out = hasher.mark(torch.zeros(3, 405).to(dtype), seeds, 400)
        assert out.dtype == dtype
        p = out.double().softmax(-1).numpy()
        assert not np.isnan(p).any()
        assert (p[:, :400] * green).sum(axis=1) == pytest.approx(1, abs=0.15)


def test_a_sure_token_stays_sure() -> None:
    scores = torch.full((4, 10), -torch.inf)
    scores[:, 3] = 2.5
    hasher = coupling()
    out = hasher.mark(scores, hasher.seeds(np.arange(16).reshape(4, 4)), 10)
    assert out.softmax(-1)[:, 3].tolist() == pytest.approx([1.0] * 4)


def test_texts_are_marked_and_found_without_the_model(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "coupling")
    assert not parts.needs_model_to_detect
    mark, other = (
        stela.create("coupling", model="tiny", key=f"{key:016x}", registry=registry) for key in (5, 6)
    )
    model = stela.load_model("tiny", registry=registry)
    [texts] = list(generate(mark, model, ["The river rises", "A house is"], Sampling(120, 120, 1.0), 8))
    for text in texts:
        [evidence] = mark.detector.evidence([text.token_ids])
        marked = [place for place, weight in enumerate(text.weights) if weight is not None]
        assert evidence.positions.tolist() == marked
        [own] = mark.detector.detect_ids([text.token_ids])
        assert (own.verdict, own.p_value < 1e-6) == ("watermarked", True)
        assert other.detector.detect_ids([text.token_ids])[0].p_value > 1e-3


@pytest.mark.parametrize("lowering", [-0.1, 11])
def test_a_lowering_out_of_range_is_refused(registry: stela.Registry, lowering: float) -> None:
    with pytest.raises(stela.StelaError, match="lowering"):
        stela.create(
            "coupling", model="tiny", key="public", registry=registry, parameters={"lowering": lowering}
        )
