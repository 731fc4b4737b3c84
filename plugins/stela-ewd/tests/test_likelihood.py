"""The likelihood ratio of a colour, given how likely the token itself was."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from stela_ewd.likelihood import Likelihood
from stela_models.generation.generate import Sampling, generate
from stela_testing import EvidenceContract, WeightingContract

import stela_core as stela
from stela_core.api import LanguageModel
from stela_core.composition import compose, resolve_scheme
from tests.tiers import Draws, examples

STARTS = (
    "The history of",
    "In the winter",
    "After the war",
    "Most people in",
    "The old bridge of",
    "A school in",
)
ENDS = (
    *("the city", "the village", "the valley", "the river", "the island"),
    *("the harbour", "the kingdom", "the church", "the market", "the north"),
)


class TestLikelihood(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return Likelihood(Likelihood.Parameters())


class TestEvidence(EvidenceContract):
    """``kgw+ewd-likelihood`` by the model itself."""

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry) -> stela.Watermark:
        return stela.create("kgw+ewd-likelihood", model="tiny", key="public", registry=registry)

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> LanguageModel:
        return stela.load_model("tiny")


class TestEvidenceOfASurrogate(TestEvidence):
    """The same by a model with other tokens, one green token in four."""

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry) -> stela.Watermark:
        return stela.create(
            "kgw+ewd-likelihood", model="tiny", key="public", registry=registry, gamma=0.25, delta=1.0
        )

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> stela.Surrogate:
        return stela.Surrogate(*stela.load_model("tiny-small"))


def weights_of(shares: list[float], delta: float, temperature: float, gamma: float) -> list[float]:
    """Weights of each token of one distribution, were it the text's."""
    weighting = Likelihood(Likelihood.Parameters(delta=delta, temperature=temperature))
    logits = torch.log(torch.tensor([shares], dtype=torch.float64)).repeat(len(shares), 1) * temperature
    tokens = np.arange(len(shares))
    return weighting.weights(stela.Positions(len(shares), logits=logits, gamma=gamma, tokens=tokens)).tolist()


def slow_weight(shares: list[float], token: int, strength: float, gamma: float) -> float:
    """log P(token | green) / P(token | red), all colourings of the vocabulary one by one."""
    likely = {0: 0.0, 1: 0.0}
    for colours in product([0, 1], repeat=len(shares)):
        others = [colour for n, colour in enumerate(colours) if n != token]
        chance = math.prod(gamma if colour else 1 - gamma for colour in others)
        raised = [p * math.exp(strength * colour) for p, colour in zip(shares, colours, strict=True)]
        likely[colours[token]] += chance * raised[token] / sum(raised)
    return math.log(likely[1] / likely[0])


@examples(40)
@given(
    st.lists(st.floats(0.01, 1), min_size=1, max_size=4),
    st.sampled_from([0.5, 0.25]),
    st.floats(0.1, 3),
    st.sampled_from([0.7, 1.0]),
)
@example(parts=[1.0, 1.0], gamma=0.5, delta=2.0, temperature=0.7)
def test_against_all_colourings(parts: list[float], gamma: float, delta: float, temperature: float) -> None:
    """Exact where at most three other tokens are likely."""
    shares = [part / sum(parts) for part in parts]
    found = weights_of(shares, delta, temperature, gamma)
    for token, weight in enumerate(found):
        assert weight == pytest.approx(slow_weight(shares, token, delta / temperature, gamma), abs=1e-9)


@pytest.mark.parametrize("gamma", [0.5, 0.25])
@pytest.mark.parametrize("chance", [0.001, 0.1, 0.6, 0.95])
def test_where_no_other_token_is_likely(chance: float, gamma: float) -> None:
    """``log a (1 + c gamma (1 - p)) / (1 + c (p + gamma (1 - p)))``: the rest is green by its mean."""
    shares = [chance, *[(1 - chance) / 4000] * 4000]
    logits = torch.log(torch.tensor([shares], dtype=torch.float64))
    weighting = Likelihood(Likelihood.Parameters(delta=2.0, temperature=1.0))
    [weight] = weighting.weights(stela.Positions(1, logits=logits, gamma=gamma, tokens=np.array([0])))
    a = math.exp(2.0)
    red = 1 + (a - 1) * gamma * (1 - chance)
    assert weight == pytest.approx(math.log(a * red / (red + (a - 1) * chance)), abs=2e-3)


def test_a_certain_token_tells_nothing_and_an_unlikely_one_all() -> None:
    assert weights_of([1.0], 2.0, 1.0, 0.5) == [0.0]
    rare = weights_of([1e-9, *[1 / 4000] * 4000], 2.0, 1.0, 0.5)[0]
    assert rare == pytest.approx(2.0, abs=1e-6)


@pytest.mark.slow
def test_texts_of_a_model_show_more(registry: stela.Registry, draws: Draws) -> None:
    """60 texts (every second in ``make test``), a key each: mean -log10 p by these weights and by others."""
    model = stela.load_model("tiny")
    made = {"model": "tiny", "key": "public", "delta": 1.25, "registry": registry}
    marks = [stela.create(name, **made) for name in ("kgw+ewd-likelihood", "kgw+ewd-gain", "kgw")]
    prompts = [f"{start} {what}" for start in STARTS for what in ENDS][:: draws(1, 2)]
    keys = [int(key) for key in np.random.default_rng(0).integers(0, 2**64, len(prompts), dtype=np.uint64)]
    [texts] = generate(marks[-1], model, prompts, Sampling(80, 80, seed=1), len(prompts), keys)
    rows = [text.token_ids for text in texts]
    shown = []
    for mark in marks:
        weighed = mark.detector.evidence(rows, mark.logits_of(model), prompts)
        parts = [replace(mark.parts, hasher=mark.parts.hasher.under(key)) for key in keys]
        judged = [
            mark.detector.with_composition(part).recoloured(one)
            for one, part in zip(weighed, parts, strict=True)
        ]
        shown.append([-np.log10(mark.parts.scorer.score_signals(one.signals).p_value) for one in judged])
    own, gain, alike = np.array(shown)
    assert (own - gain).mean() > 0.1
    assert (own - alike).mean() > 0.5


def test_for_evidence_alone(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "kgw+ewd-likelihood")
    assert parts.needs_model_to_detect
    assert {"delta", "temperature"} <= set(parts.parameters.model_fields)
    hasher = stela.create("kgw", model="tiny", key="public", registry=registry).parts.hasher
    with pytest.raises(stela.StelaError, match="not chosen yet") as error:
        compose(resolve_scheme(registry, "ewd-likelihood"), {}, hasher, None, "tokens")
    assert "kgw+ewd-likelihood" in error.value.hint
