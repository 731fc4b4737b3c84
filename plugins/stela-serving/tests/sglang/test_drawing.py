"""Truncation by its definition, token by token."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_sglang.drawing import ALL, Drawing, require_drawn

import stela_core as stela


@given(
    seed=st.integers(0, 1000),
    temperature=st.floats(0.3, 2),
    top_k=st.sampled_from((1, 2, 5, 40, ALL)),
    top_p=st.floats(0.05, 1),
    min_p=st.floats(0, 0.5),
)
def test_final_logits(seed: int, temperature: float, top_k: int, top_p: float, min_p: float) -> None:
    """A token is left where its rank, the mass before it and its share of the likeliest one's allow it."""
    logits = np.random.default_rng(seed).normal(0, 2, 30).astype(np.float32)
    final = Drawing(temperature, top_k, top_p, min_p).final(torch.from_numpy(logits)[None])[0]
    scaled = torch.from_numpy(logits) / temperature
    chances = scaled.double().softmax(-1).tolist()
    for token, chance in enumerate(chances):
        before = [other for other in chances if other > chance]
        margins = (sum(before) - top_p, min_p * max(chances) - chance)
        if min(abs(margin) for margin in margins) < 1e-6:
            continue
        if len(before) < top_k and max(margins) < 0:
            assert final[token] == scaled[token]
        else:
            assert final[token] == -torch.inf


def test_marks_that_choose_want_draws() -> None:
    for temperature, top_k in ((0.0, None), (1.0, 1), (None, 1)):
        with pytest.raises(stela.StelaError, match="nothing is drawn"):
            require_drawn(temperature, top_k)
    require_drawn(None, None)
    require_drawn(0.7, ALL)
