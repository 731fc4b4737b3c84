"""vLLM's numbers by HMAC-SHA-256, and the choice by them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from stela_gumbel import vllm_hash
from stela_gumbel.vllm_hmac import VllmHmac, VllmHmacParameters

GOLDEN = [
    (42, [-1, -1, -1, -1], 7, 0.9135027527809143),
    (2**255 + 12345, [3, 1, 4, 1], 50256, 0.6923235058784485),
    (2**64 - 1, [151935], 0, 0.9153939485549927),
    (2**200, list(range(16)), 99999, 0.9460185766220093),
]
"""Key, context, token, uniform: the statements of vLLM's ``HMACSHA256PRF.uniform`` (3da8712b5fbb), run."""


def test_uniforms_are_equal() -> None:
    for key, context, token, uniform in GOLDEN:
        hasher = VllmHmac(VllmHmacParameters(context_width=len(context)), key)
        numbers = hasher.numbers(hasher.seeds(np.array([context])), np.array([token]))
        assert float(vllm_hash.uniforms(numbers)[0]) == uniform


@pytest.mark.parametrize("width", [1, 4])
def test_the_chosen_token_has_the_largest_sum(width: int) -> None:
    """vLLM's rule in words: argmax of logits + -log(-log u), over what is left."""
    hasher = VllmHmac(VllmHmacParameters(context_width=width), 7)
    logits = np.random.default_rng(0).standard_normal((3, 90)).astype(np.float32) * 3
    logits[1, ::2], logits[2] = -np.inf, -np.inf
    logits[0, 5] = np.nan
    contexts = np.arange(3 * width).reshape(3, width)
    out = hasher.mark_array(logits, hasher.seeds(contexts), 88)
    for row in range(2):
        sums = {
            v: logits[row, v] - np.log(-np.log(float(vllm_hash.uniforms(number)[0])))
            for v in range(88)
            if logits[row, v] > -np.inf
            for number in [hasher.numbers(hasher.seeds(contexts[row : row + 1]), np.array([v]))]
        }
        assert np.flatnonzero(out[row] == 0).tolist() == [max(sums, key=lambda v: sums[v])]
    assert (out[2] == logits[2]).all()


def test_score_and_p_value_are_those_of_the_first_places() -> None:
    hasher = VllmHmac(VllmHmacParameters(context_width=1), 42)
    ids = np.array([5, 6, 5, 6, 5, 7])
    beside = hasher.foreign_scores(ids, np.arange(6))
    first = [(-1, 5), (5, 6), (6, 5)]
    numbers = hasher.numbers(hasher.seeds(np.array([[a] for a, _ in first])), np.array([b for _, b in first]))
    score = float(-np.log1p(-vllm_hash.uniforms(numbers).astype(np.float64)).sum())
    assert beside["vLLM score"] == pytest.approx(score, abs=1e-12)
    assert beside["vLLM p-value"] == pytest.approx(float(stats.gamma.sf(score, 3)), rel=1e-9)
