"""vLLM's own numbers, for every golden vector."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq
from stela_gumbel import vllm_hash, vllm_score
from stela_gumbel.vllm import VllmDualGumbel, VllmDualParameters, VllmGumbel, VllmParameters
from stela_kernels.philox.vllm import states as context_states
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import Detector, GroupedScorer, Settings
from tests.tiers import Draws

GOLDEN: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "vllm.json").read_text(encoding="utf-8")
)


def test_uniforms_are_equal() -> None:
    assert len(GOLDEN["uniform"]) == 120
    for case in GOLDEN["uniform"]:
        states = context_states(case["key"], np.array([case["context"]]))
        numbers = vllm_hash.numbers(case["key"], states, np.array([case["token"]]))
        assert float(vllm_hash.uniforms(numbers)[0]) == case["uniform"]


def test_derived_keys_are_equal() -> None:
    for case in GOLDEN["derive"]:
        assert vllm_hash.derived_keys(case["key"]) == (case["key_a"], case["key_b"])


def hasher_of(case: dict[str, Any]) -> VllmGumbel | VllmDualGumbel:
    settings = {
        "context_width": case["context_width"],
        "deduplicate_contexts": "single_turn" if case["deduplicate"] else "none",
    }
    if case["detector"] == "gumbel":
        return VllmGumbel(VllmParameters(**settings), case["key"])
    return VllmDualGumbel(VllmDualParameters(**settings, alpha=case["alpha"]), case["key"])


def scored(hasher: VllmGumbel | VllmDualGumbel, ids: np.ndarray[Any, np.dtype[np.int64]]) -> list[int]:
    """Positions by the rule in words: each context where it stands first, or all."""
    padded = [-1] * hasher.context_width + ids.tolist()
    seen: set[tuple[int, ...]] = set()
    positions = []
    for position in range(len(ids)):
        context = tuple(padded[position : position + hasher.context_width])
        if not hasher.first_only or context not in seen:
            positions.append(position)
        seen.add(context)
    return positions


@pytest.mark.parametrize("case", GOLDEN["detect"], ids=lambda case: f"{case['language']}-{case['detector']}")
def test_score_p_value_and_scored_tokens_are_equal(case: dict[str, Any]) -> None:
    """p to 1e-8: torch's gammaincc, which theirs is for two keys, is off SciPy's by up to 1e-9 of itself."""
    hasher, ids = hasher_of(case), np.array(case["token_ids"])
    positions = np.array(scored(hasher, ids))
    beside = hasher.foreign_scores(ids, positions)
    assert len(positions) == case["scored"]
    assert beside["vLLM score"] == pytest.approx(case["score"], abs=1e-9, rel=0)
    assert beside["vLLM p-value"] == pytest.approx(case["p_value"], rel=1e-8)
    # The signals that our p-value rests on are below vLLM's score, by next to nothing.
    draws = hasher.draws(hasher.seeds(hasher.contexts(ids, positions)), ids[positions])
    own = float((draws @ hasher.law.parts).sum())
    assert case["score"] - 1e-5 < own <= case["score"]


def test_the_first_token_has_a_context_of_padding() -> None:
    hasher = VllmGumbel(VllmParameters(context_width=3), 42)
    contexts = hasher.contexts(np.array([7, 8, 9, 10]), np.arange(4))
    assert contexts.tolist() == [[-1, -1, -1], [-1, -1, 7], [-1, 7, 8], [7, 8, 9]]


@pytest.mark.parametrize(("theirs", "ratio"), [(1e-4, 1.22), (1e-6, 1.49), (1e-9, 2.115)])
def test_our_p_value_of_two_keys_is_exact_and_theirs_too_small(theirs: float, ratio: float) -> None:
    """20 tokens at alpha 0.1; the ratios by the convolution of two Gamma densities, by quadrature."""
    hasher = VllmDualGumbel(VllmDualParameters(alpha=0.1), 42)
    score = brentq(lambda s: vllm_score.log_p_value(s, 20, 0.1) - math.log(theirs), 20, 200)

    def density(b: float) -> float:
        return float(stats.gamma.pdf(b, 20) * stats.gamma.sf((score - 0.1 * b) / 0.9, 20))

    # By pieces: over the whole range the rule overlooks where the density lies.
    exact = sum(quad(density, b, b + 5, epsabs=0, epsrel=1e-11)[0] for b in range(0, 200, 5))
    assert exact / theirs == pytest.approx(ratio, rel=0.02)
    scorer = GroupedScorer(GroupedScorer.Parameters())
    signals = stela.Signals(np.full((20, 2), score / 20), np.ones(20), np.arange(20), hasher.law)
    assert scorer.score_signals(signals).p_value == pytest.approx(exact, rel=1e-9)


def test_key_b_marks_a_share_alpha_of_tokens() -> None:
    torch = pytest.importorskip("torch")
    hasher = VllmDualGumbel(VllmDualParameters(alpha=0.3), 42)
    key_a, key_b = (VllmGumbel(VllmParameters(), key) for key in vllm_hash.derived_keys(42))
    contexts = np.random.default_rng(0).integers(0, 1000, (2000, 4))
    scores = torch.zeros(2000, 60)
    torch.manual_seed(1)
    chosen = hasher.mark(scores, hasher.seeds(contexts), 60).argmax(1)
    with_a, with_b = (one.mark(scores, one.seeds(contexts), 60).argmax(1) for one in (key_a, key_b))
    assert ((chosen == with_a) | (chosen == with_b)).all()
    apart = with_a != with_b
    share = float((chosen == with_b)[apart].double().mean())
    assert abs(share - 0.3) < 5 * math.sqrt(0.21 / int(apart.sum()))
    torch.manual_seed(1)
    assert torch.equal(chosen, hasher.mark(scores, hasher.seeds(contexts), 60).argmax(1))


@pytest.mark.slow
def test_the_detector_finds_and_scores_the_same(registry: stela.Registry, draws: Draws) -> None:
    """Whole way: a profile, the ids of vLLM's text, its scored tokens and numbers beside ours.

    Where a text ends in a special token, vLLM scores that, too; those are left out.
    """
    verdicts = set()
    for case in GOLDEN["detect"][:: draws(3, 7)]:
        hasher = hasher_of(case)
        settings = Settings(
            hasher.name,
            context_width=case["context_width"],
            hasher_parameters=hasher.parameters.model_dump(exclude={"context_width"}),
        )
        parts = settings.create(registry, load_tokenizer(registry, "tiny"), case["key"], True)
        if not all(map(parts.tokens.is_text, case["token_ids"])):
            continue
        detector = Detector(parts.composition, parts.tokenizer, parts.tokens, None, 8, 1e-3)
        [detection] = detector.detect_ids([case["token_ids"]])
        assert detection.scored_tokens == case["scored"]
        assert detection.foreign_scores["vLLM score"] == pytest.approx(case["score"], abs=1e-9, rel=0)
        assert detection.foreign_scores["vLLM p-value"] == pytest.approx(case["p_value"], rel=1e-8)
        if case["deduplicate"] and case["detector"] == "gumbel":
            assert detection.p_value == pytest.approx(case["p_value"], rel=1e-4)
        verdicts.add((case["generated_by"] == case["detector"], detection.verdict))
    assert (True, "watermarked") in verdicts
    assert (True, "no watermark found") not in verdicts
