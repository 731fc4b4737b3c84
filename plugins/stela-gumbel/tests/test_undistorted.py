"""Over keys, marked text has the model's distribution: of one token, and of two that follow each other.

Pearson's chi-square test on a vocabulary of a few tokens; keys are the same in each run, so that a p-value
below 1e-4 is a mistake and no bad luck.
"""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare
from stela_gumbel.choosing import GumbelHasher
from stela_gumbel.own import Gumbel, GumbelParameters
from stela_gumbel.sglang import Sglang, SglangParameters
from stela_gumbel.textseal import TextSealDual, TextSealDualParameters, TextSealGumbel, TextSealParameters
from stela_gumbel.vllm import VllmDualGumbel, VllmDualParameters, VllmGumbel, VllmParameters

KEYS = 4_000
FIRST = np.array([0.45, 0.25, 0.15, 0.1, 0.05])
SECOND = np.array(
    [
        [0.1, 0.2, 0.3, 0.3, 0.1],
        [0.6, 0.1, 0.1, 0.1, 0.1],
        [0.02, 0.08, 0.2, 0.3, 0.4],
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.9, 0.04, 0.03, 0.02, 0.01],
    ]
)
"""The model's distributions of the token after each first one."""

HASHERS = {
    "own": (Gumbel, GumbelParameters(context_width=2), 1),
    "vllm": (VllmGumbel, VllmParameters(context_width=2), 1),
    "vllm-dual": (VllmDualGumbel, VllmDualParameters(context_width=2, alpha=0.3), 1),
    "sglang": (Sglang, SglangParameters(context_width=2), 1),
    "textseal": (TextSealGumbel, TextSealParameters(context_width=2), 1),
    "textseal-dual": (TextSealDual, TextSealDualParameters(context_width=2, mixing_alpha=0.3), 1),
    "sglang-dual": (Sglang, SglangParameters(context_width=2, mixing_probability=0.4), 2),
}


@pytest.fixture(autouse=True)
def one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no key makes is the same in each run, too."""
    for module in ("vllm", "textseal"):
        monkeypatch.setattr(f"stela_gumbel.{module}.unkeyed", np.random.default_rng(0).random)


def pairs(name: str) -> npt.NDArray[np.int64]:
    """First and second token under each of many keys, (KEYS, 2), after the same two ids."""
    kind, parameters, words = HASHERS[name]
    source, tokens = Random(name), []
    for _ in range(KEYS):
        hasher: GumbelHasher = kind(parameters, source.getrandbits(64 * words))  # type: ignore[arg-type]
        first = one(hasher, [3, 1], FIRST)
        tokens.append((first, one(hasher, [1, first], SECOND[first])))
    return np.array(tokens)


def one(hasher: GumbelHasher, context: list[int], p: npt.NDArray[np.float64]) -> int:
    scores = np.log(p)[None].astype(np.float32)
    return int(hasher.mark_array(scores, hasher.seeds(np.array([context])), len(p)).argmax())


@pytest.mark.deep(keep=["own", "vllm", "textseal-dual", "sglang-dual"])
@pytest.mark.slow
@pytest.mark.parametrize("name", HASHERS)
def test_one_token_and_two_have_the_models_distribution(name: str) -> None:
    tokens = pairs(name)
    counts = np.bincount(tokens[:, 0], minlength=5)
    assert chisquare(counts, KEYS * FIRST).pvalue > 1e-4
    joint = np.bincount(5 * tokens[:, 0] + tokens[:, 1], minlength=25).reshape(5, 5)
    expected = FIRST[:, None] * SECOND
    assert chisquare(joint.ravel(), KEYS * expected.ravel()).pvalue > 1e-4


@pytest.mark.parametrize("name", HASHERS)
def test_contexts_and_candidates_of_one_key_are_alike(name: str) -> None:
    """Under a single key, over contexts: what a reader of one server's text sees."""
    kind, parameters, words = HASHERS[name]
    hasher: GumbelHasher = kind(parameters, Random(name).getrandbits(64 * words))  # type: ignore[arg-type]
    contexts = np.random.default_rng(0).permutation(200 * 200)[:20_000]
    seeds = hasher.seeds(np.stack([contexts // 200, contexts % 200], axis=1))
    scores = np.repeat(np.log(FIRST)[None].astype(np.float32), len(seeds), axis=0)
    chosen = hasher.mark_array(scores, seeds, 5).argmax(axis=1)
    assert chisquare(np.bincount(chosen, minlength=5), len(seeds) * FIRST).pvalue > 1e-4


def test_a_context_that_comes_again_would_distort_two_tokens() -> None:
    """The test can fail: where both tokens have one context, the second repeats the first."""
    hasher_of = [Gumbel(GumbelParameters(context_width=2), key) for key in range(500)]
    same = [one(hasher, [3, 1], FIRST) for hasher in hasher_of]
    again = [one(hasher, [3, 1], FIRST) for hasher in hasher_of]
    assert same == again
    joint = np.bincount(5 * np.array(same) + np.array(again), minlength=25)
    assert chisquare(joint, 500 * np.outer(FIRST, FIRST).ravel()).pvalue < 1e-10
