"""vLLM's SynthID: its own numbers for every golden vector, and false alarms under random keys."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from stela_kernels.philox.vllm import states
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_synthid import vllm_words
from stela_synthid.vllm import SynthIdVllm
from stela_testing.choices import SamplingHasherContract

import stela_core as stela

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "vllm.json").read_text(encoding="utf-8")
)
PROMPT = "The history of the city"


def test_words_are_theirs() -> None:
    for key, context, token, theirs in GOLDEN["words"]:
        seeds = states(key, np.array([context]))
        wanted = theirs[0] | theirs[1] << 32
        assert vllm_words.words(key, seeds, np.array([token]), 64).tolist() == [wanted]
        assert vllm_words.words(key, seeds, np.array([token]), 32).tolist() == [theirs[0]]


def test_the_vocabulary_at_once_is_each_token_alone() -> None:
    seeds = states(7, np.array([[1, 2, 3]]))
    for size in (1, 4, 5, 1003):
        ids = np.arange(size)
        alone = vllm_words.words(7, seeds.repeat(size, axis=0), ids, 40)
        assert (vllm_words.vocabulary_words(7, seeds[0], size, 40) == alone).all()


@pytest.mark.parametrize("case", GOLDEN["logits"], ids=lambda case: str(case["depth"]))
def test_logits_are_theirs(case: dict[str, Any]) -> None:
    hasher = SynthIdVllm(SynthIdVllm.Parameters(depth=case["depth"]), case["key"])
    scores = torch.tensor([case["logits"]])
    seeds = hasher.seeds(np.array([case["context"]]))
    marked = hasher.mark(scores, seeds, scores.shape[1])[0]
    theirs = torch.tensor(case["marked"])
    assert torch.allclose(marked.exp(), theirs.exp(), atol=1e-6, rtol=0)
    likely = theirs > -12  # smaller ones are what float32 left of differences
    assert torch.allclose(marked[likely], theirs[likely], atol=1e-3, rtol=0)


def test_after_a_truncation_the_same_layers_count() -> None:
    """With few ids left their words are worked out one by one, and with more all at once."""
    hasher = SynthIdVllm(SynthIdVllm.Parameters(depth=40), 9)
    seeds = hasher.seeds(np.array([[1, 2, 3, 4]]))
    scores = torch.full((1, 100), -torch.inf)
    scores[0, 3:11] = torch.linspace(0, 2, 8)
    alone = hasher.mark(scores, seeds, 100)
    assert torch.equal(alone[:, :12], hasher.mark(scores[:, :12], seeds, 12))
    assert torch.isneginf(alone[:, 12:]).all()


@pytest.mark.parametrize("case", GOLDEN["detect"])
def test_score_and_p_value_are_theirs(case: dict[str, Any]) -> None:
    """Their p is summed from lgamma: off SciPy's by up to 1e-11 of itself."""
    again = "single_turn" if case["deduplicate"] else "none"
    parameters = SynthIdVllm.Parameters(
        depth=case["depth"], context_width=case["context_width"], deduplicate_contexts=again, layers="mean"
    )
    hasher, ids = SynthIdVllm(parameters, case["key"]), np.array(case["token_ids"])
    positions = np.arange(len(ids))
    contexts = hasher.contexts(ids, positions)
    if hasher.first_only:
        positions = np.sort(np.unique(contexts, axis=0, return_index=True)[1])
    beside = hasher.foreign_scores(ids, positions)
    assert len(positions) == case["scored"]
    assert beside["vLLM score"] == pytest.approx(case["score"], abs=1e-12, rel=0)
    assert beside["vLLM p-value"] == pytest.approx(case["p_value"], rel=1e-9)
    trials = len(positions) * case["depth"]
    exact = stats.binom.sf(round(case["score"] * trials) - 1, trials, 0.5)
    assert beside["vLLM p-value"] == pytest.approx(exact, rel=1e-9)


class TestContract(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SynthIdVllm:
        return SynthIdVllm(SynthIdVllm.Parameters(depth=8), 42)


@pytest.mark.deep(keep=["single_turn-varied"])
@pytest.mark.slow
@pytest.mark.parametrize("text", ["varied", "repeated"])
@pytest.mark.parametrize("again", ["single_turn", "none"])
def test_p_values_hold(text: str, again: str, registry: stela.Registry) -> None:
    """Through the detector: P(p <= a) <= a, and nearly equal."""
    rng, keys = np.random.default_rng(0), 500
    phrase = rng.integers(300, 8000, 9).tolist()
    ids = {
        "varied": rng.integers(300, 8000, 60).tolist(),
        "repeated": [*phrase * 6, *rng.integers(300, 8000, 6).tolist()],
    }[text]
    mark = stela.create("synthid-vllm", model="tiny", key="public", registry=registry)
    composition, source = mark.parts, Random(text)
    parameters = composition.hasher.parameters.model_copy(update={"deduplicate_contexts": again})
    hasher, p_values, evidence = SynthIdVllm(parameters, 1), [], None
    for _ in range(keys):
        own = mark.detector.with_composition(
            replace(composition, hasher=hasher.under(source.getrandbits(64)))
        )
        evidence = own.evidence([ids])[0] if evidence is None else own.recoloured(evidence)
        p_values.append(own.judge(evidence).p_value)
    for alpha in (0.5, 0.2, 0.1, 0.05, 0.02):
        share, spread = np.mean(np.array(p_values) <= alpha), (alpha * (1 - alpha) / keys) ** 0.5
        assert alpha - 4.5 * spread < share < alpha + 4 * spread


@pytest.mark.slow
def test_marked_text_is_found(registry: stela.Registry) -> None:
    tiny = load_model(registry, "tiny", device="cpu")
    mark = stela.create("synthid-vllm", model="tiny", key="public", registry=registry)
    [[text]] = generate(mark, tiny, [PROMPT], Sampling(max_new_tokens=80, temperature=1.0, seed=2), 1)
    [detection] = mark.detect_ids([text.token_ids])
    assert detection.verdict == "watermarked"
    assert detection.foreign_scores["vLLM p-value"] < 1e-3
