"""Final logits as transformers makes them, and what leaves no mark."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_vllm.sampling import Sampling, require_drawn, require_no_beams
from transformers.generation import logits_process as theirs

import stela_core as stela
from tests.tiers import examples

from .conftest import logits_of
from .stand_in import SamplingParams


@examples(25)
@given(
    temperature=st.floats(0.05, 3),
    top_k=st.sampled_from([-1, 0, 1, 5, 200, 10**6]),
    top_p=st.floats(0.01, 1),
    min_p=st.floats(0, 1),
    seed=st.integers(0, 9),
)
def test_final_logits_are_those_of_transformers(
    temperature: float, top_k: int, top_p: float, min_p: float, seed: int
) -> None:
    logits = logits_of(2, seed)[:, :300]
    logits[:, 7] = -torch.inf  # as a grammar leaves it out
    wanted = theirs.TemperatureLogitsWarper(temperature)(None, logits)  # type: ignore[arg-type]
    if min_p > 0:
        wanted = theirs.MinPLogitsWarper(min_p)(None, wanted)  # type: ignore[arg-type]
    if top_k > 0:
        wanted = theirs.TopKLogitsWarper(top_k)(None, wanted)  # type: ignore[arg-type]
    if top_p < 1:
        wanted = theirs.TopPLogitsWarper(top_p)(None, wanted)  # type: ignore[arg-type]
    assert torch.equal(Sampling(temperature, top_k, top_p, min_p).final(logits), wanted)


def test_what_leaves_no_mark_is_refused() -> None:
    require_drawn(SamplingParams(temperature=0.01))
    with pytest.raises(stela.StelaError, match="at temperature 0 nothing is drawn"):
        require_drawn(SamplingParams(temperature=0))
    for name, value in (("presence_penalty", 0.5), ("frequency_penalty", 1), ("repetition_penalty", 1.1)):
        with pytest.raises(stela.StelaError, match=f"before {name} is applied"):
            require_drawn(SamplingParams(**{name: value}))


def test_steps_of_a_beam_search_are_refused() -> None:
    step = {"max_tokens": 1, "logprobs": 8, "detokenize": False}
    with pytest.raises(stela.StelaError, match="beam search"):
        require_no_beams(SamplingParams(**step))
    for name, value in (("max_tokens", 2), ("logprobs", None), ("detokenize", True)):
        require_no_beams(SamplingParams(**{**step, name: value}))
