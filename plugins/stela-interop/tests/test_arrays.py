"""Logits in numpy arrays are marked as torch's are, bit for bit, and need torch under selfhash alone."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.selfhash import Selfhash
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core import Marker
from stela_core.api import TokenBytes
from stela_core.composition import compose, resolve_scheme

KEY = 15485863
HASHERS: dict[str, stela.GreenList] = {
    "lefthash": Lefthash(Lefthash.Parameters(vocab_size=50, gamma=0.25), KEY),
    "markllm": MarkLlm(MarkLlm.Parameters(vocab_size=50, context_width=2, f_scheme="additive"), KEY),
}


@pytest.mark.parametrize("name", HASHERS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@given(
    width=st.integers(1, 60),
    rows=st.integers(1, 3),
    biases=st.lists(st.floats(-20, 20) | st.just(0.0), min_size=3, max_size=3),
    seed=st.integers(0, 9),
)
def test_arrays_equal_tensors(
    name: str, dtype: type[np.floating[Any]], width: int, rows: int, biases: list[float], seed: int
) -> None:
    """Also where the logits are wider than the toolkit's vocabulary, or narrower."""
    hasher, rng = HASHERS[name], np.random.default_rng(seed)
    scores = (5 * rng.normal(size=(rows, width))).astype(dtype)
    scores[:, ::7] = -np.inf
    before = scores.copy()
    seeds = hasher.seeds(rng.integers(0, 50, (rows, hasher.context_width)))
    wanted = hasher.add_bias(torch.from_numpy(scores), seeds, biases[:rows], width).numpy()
    marked = hasher.add_bias_to_array(scores, seeds, biases[:rows], width)
    assert marked.dtype == dtype
    assert marked.tobytes() == wanted.tobytes()
    assert scores.tobytes() == before.tobytes()


@pytest.mark.parametrize("name", [*HASHERS, "selfhash"])
def test_marker_takes_torch_for_selfhash_alone(
    registry: stela.Registry, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tokenizer = load_tokenizer(registry, "tiny")
    hasher = HASHERS.get(name) or Selfhash(Selfhash.Parameters(vocab_size=50), KEY)
    composition = compose(resolve_scheme(registry, "kgw"), {}, hasher, None, "tokens")
    marker = Marker(composition, TokenBytes.of(tokenizer), None, 50)
    logits = np.random.default_rng(1).normal(size=(1, 50)).astype(np.float32)
    wanted = marker([[4, 5, 6]], torch.from_numpy(logits)).numpy()
    assert (wanted != logits).any()
    assert (marker([[4, 5, 6]], logits) == wanted).all()
    monkeypatch.setitem(sys.modules, "torch", None)
    if name == "selfhash":
        with pytest.raises(stela.StelaError, match="needs torch"):
            marker([[4, 5, 6]], logits)
    else:
        assert (marker([[4, 5, 6]], logits) == wanted).all()
