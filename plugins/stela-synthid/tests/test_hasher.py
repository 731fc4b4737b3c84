"""The hasher in a profile: contract, what is scored, steps of generation, keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_synthid.hasher import SynthIdHasher, SynthIdParameters
from stela_synthid.layer_keys import layer_keys
from stela_testing import SamplingHasherContract
from transformers import SynthIDTextWatermarkLogitsProcessor

import stela_core as stela
from tests.helpers import key_of_words
from tests.tiers import examples

SMALL = {"table_size": 1 << 12}
"""A table that is quickly laid out for another key."""


def hasher_of(key: int = 7, **parameters: Any) -> SynthIdHasher:
    return SynthIdHasher(SynthIdParameters(**parameters), key)


class TestTwoLeaves(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SynthIdHasher:
        return hasher_of(depth=4, **SMALL)


class TestThreeLeaves(SamplingHasherContract):
    undistorted = False

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SynthIdHasher:
        return hasher_of(leaves=3, layers="mean", skip_first=True, table_seed=3, **SMALL)


def test_gains_are_those_of_the_tournament_that_was_measured() -> None:
    assert "tiny en" in hasher_of().gains
    for other in ({"depth": 10}, {"leaves": 3}, {"layers": "mean"}):
        assert not hasher_of(**other).gains


def theirs_of(hasher: SynthIdHasher, history: int = 1024) -> SynthIDTextWatermarkLogitsProcessor:
    chosen = hasher.settings
    return SynthIDTextWatermarkLogitsProcessor(
        chosen.context_width + 1,
        hasher.keys.view(np.int64).tolist(),
        chosen.table_size,
        chosen.table_seed,
        history,
        torch.device("cpu"),
        chosen.skip_first,
    )


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("synthid", model="tiny", key="00000000000000a7", registry=registry)


@examples(30)
@given(st.lists(st.integers(2, 6), min_size=0, max_size=40), st.integers(2, 400))
def test_what_is_scored_is_what_transformers_scores(
    mark: stela.Watermark, ids: list[int], other: int
) -> None:
    """And the first four tokens, after zeros: those it marks, too."""
    ids = [*ids, other, *ids]
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    [evidence] = mark.detector.evidence([ids])
    theirs = theirs_of(hasher)
    padded: Any = torch.tensor([[0] * 4 + ids])
    new = theirs.compute_context_repetition_mask(padded)[0].numpy()
    assert evidence.positions.tolist() == np.flatnonzero(new).tolist()
    assert evidence.draws is not None
    assert (evidence.draws == theirs.compute_g_values(padded)[0].numpy()[new]).all()


@pytest.mark.slow
def test_steps_of_generation_are_those_of_transformers(mark: stela.Watermark) -> None:
    """Zeros in front of the text, repeated contexts left alone, from the first token on."""
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    theirs, ours = theirs_of(hasher), mark.marker()
    torch.manual_seed(0)
    text = torch.randint(2, 90, (2, 10)).repeat(1, 2)
    repeated = 0
    for length in range(20):
        scores = 3 * torch.randn(2, mark.profile.vocab_size)
        prompt_and_text: Any = torch.cat([torch.tensor([[5], [6]]), text[:, :length]], dim=1)
        expected = theirs(prompt_and_text, scores)
        marked = ours(text[:, :length].tolist(), scores)
        assert (torch.softmax(marked, 1) - torch.softmax(expected, 1)).abs().max() < 2e-6
        repeated += torch.equal(marked, scores)
    assert repeated == 6  # the contexts of whole four ids come again


def test_first_tokens_are_left_alone_where_asked(registry: stela.Registry) -> None:
    hasher = hasher_of(skip_first=True)
    theirs = theirs_of(hasher)
    assert hasher.padding is None
    assert hasher_of().padding == 0
    text = torch.randint(2, 90, (1, 8))
    for length in range(8):
        scores = torch.randn(1, 100)
        given_ids: Any = torch.cat([torch.tensor([[5]]), text[:, :length]], dim=1)
        assert torch.equal(theirs(given_ids, scores), scores) == (length < 4)


def test_words_of_a_key() -> None:
    assert SynthIdHasher.key_words(SynthIdParameters()) == 1
    assert SynthIdHasher.key_words(SynthIdParameters(derived=False)) == 30
    words = [0x1111111111111111, 2, 3]
    long = hasher_of(key_of_words(words), derived=False, depth=3, **SMALL)
    assert long.keys.tolist() == words
    assert (hasher_of(9).keys == layer_keys(9, 30, derived=True)).all()
    with pytest.raises(stela.StelaError, match="48 hex digits"):
        long.under(2**192)


@pytest.mark.parametrize(
    ("name", "value"),
    [("table_size", 65000), ("table_size", 1 << 11), ("depth", 0), ("depth", 65), ("leaves", 1),
     ("context_width", 0), ("layers", "some"), ("table_seed", -1)],
)  # fmt: skip
def test_parameters_out_of_bounds(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        SynthIdParameters(**{name: value})
