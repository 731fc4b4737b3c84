"""Entropy and green mass of rows: fused pass, torch operations and plain Python agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from stela_kernels import fused_bias
from stela_kernels.row_entropy import entropies, spike_entropies
from stela_kernels.split import FusedSplit, MaskSplit

from stela_core.hashing.colour import green
from tests.oracles import shannon_entropy, softmax, spike_entropy
from tests.tiers import examples


@pytest.fixture(params=["fused", "torch"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With numba, and as on a machine without it."""
    if request.param == "torch":
        monkeypatch.setattr(fused_bias, "compiled", lambda: None)
    elif fused_bias.compiled() is None:
        pytest.skip("numba cannot be used here")
    return str(request.param)


# Around the block size of the fused pass, and rows of every kind of distribution.
@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 7, 4095, 4096, 4097, 20_011])
@pytest.mark.parametrize("scale", [0.0, 0.3, 3.0, 30.0, 1e4])
def test_entropies_equal_the_definition(path: str, width: int, scale: float) -> None:
    logits = torch.randn(3, width, generator=torch.Generator().manual_seed(width)) * scale - 7
    if width > 1:
        logits[1, ::2] = -torch.inf
    found = entropies(logits)
    assert found == pytest.approx([shannon_entropy(softmax(row)) for row in logits.tolist()], abs=2e-5)
    spikes = [spike_entropy(softmax(row), 0.76) for row in logits.tolist()]
    assert spike_entropies(logits, 0.76) == pytest.approx(spikes, abs=2e-6)


def test_known_entropies(path: str) -> None:
    """Uniform over n: log n, and 1 / (1 + z / n). One certain token: 0, and 1 / (1 + z)."""
    logits = torch.zeros(2, 151_936)
    logits[1, 3] = 1e4
    assert entropies(logits) == pytest.approx([math.log(151_936), 0.0], abs=1e-5)
    assert spike_entropies(logits, 0.5) == pytest.approx([1 / (1 + 0.5 / 151_936), 1 / 1.5], abs=1e-5)
    assert entropies(logits[:0]).shape == spike_entropies(logits[:0], 0.5).shape == (0,)


def test_half_precision() -> None:
    logits = (torch.randn(2, 500, generator=torch.Generator().manual_seed(0)) * 3).bfloat16()
    assert entropies(logits) == pytest.approx(entropies(logits.float()), abs=1e-5)


@pytest.mark.slow
@examples(40)
@given(st.integers(0, 2**64 - 1), st.sampled_from([0.1, 0.25, 0.5]), st.integers(2, 9000), st.integers(0, 99))
@example(seed=323, gamma=0.1, size=4022, padding=66)
def test_split_is_the_mass_of_the_green_ids(seed: int, gamma: float, size: int, padding: int) -> None:
    scores = torch.randn(2, size + padding, generator=torch.Generator().manual_seed(seed % 2**31)) * 4
    scores[0, size // 2] = -torch.inf
    seeds = np.array([seed, seed ^ 1], dtype=np.uint64)
    mask = green(seeds[:, None], np.arange(size)[None], gamma)
    p = scores.double().softmax(-1).numpy()[:, :size]
    expected = (p * mask).sum(axis=1)
    plain = MaskSplit(scores, torch.from_numpy(mask))
    assert plain.green_mass == pytest.approx(expected, abs=1e-6)
    biased = scores.clone()
    biased[:, :size] += torch.from_numpy(mask) * torch.tensor([[0.7], [0.0]])
    assert torch.equal(plain.add_bias([0.7, 0.0]), biased)
    if fused_bias.suits(scores):
        before = scores.clone()
        fused = FusedSplit(scores, seeds, size, gamma)
        assert fused.green_mass == pytest.approx(expected, abs=1e-6)
        assert torch.equal(fused.add_bias([0.7, 0.0]), biased)
        assert torch.equal(scores, before)
