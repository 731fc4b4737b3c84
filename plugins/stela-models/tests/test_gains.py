"""What a model says of the next token's freedom: against all colourings, one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_models.gains import expected_gain, spike_entropy

from tests.tiers import examples


@examples(30)
@given(st.lists(st.floats(-6, 6), min_size=4, max_size=7), st.sampled_from([0.5, 0.25]), st.floats(0.2, 3))
def test_expected_gain_of_few_tokens_is_exact(row: list[float], gamma: float, delta: float) -> None:
    """All colourings of up to three tokens that matter, one by one; a fourth that never comes."""
    logits = torch.tensor([*row[:3], -math.inf, -math.inf])[None]
    p = torch.softmax(logits.double() / 0.7, -1)[0, :3].tolist()
    gain = 0.0
    for colours in product([0, 1], repeat=3):
        chance = math.prod(gamma if c else 1 - gamma for c in colours)
        green = sum(c * q for c, q in zip(colours, p, strict=True))
        factor = math.exp(delta / 0.7)
        gain += chance * green * factor / (1 - green + green * factor)
    assert expected_gain(logits, 0.7, delta, gamma)[0] == pytest.approx(max(0.0, gain - gamma), abs=1e-9)


def test_gain_grows_with_freedom() -> None:
    rows = torch.stack([torch.linspace(0, scale, 50) for scale in (200.0, 20.0, 2.0, 0.0)])
    for values in (expected_gain(rows, 1.0, 1.25), spike_entropy(rows, 1.25)):
        assert (np.diff(values) > 0).all()
        assert values[0] == pytest.approx(0.0, abs=0.02)
    sure = torch.tensor([[0.0] + [-math.inf] * 9])
    assert expected_gain(sure, 0.7, 1.25)[0] == pytest.approx(0.0, abs=1e-12)
    assert spike_entropy(sure, 1.25)[0] == pytest.approx(0.0, abs=1e-6)
