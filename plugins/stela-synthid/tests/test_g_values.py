"""The bits against the original package's, transformers' and a plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_synthid.layer_keys import layer_keys
from stela_synthid.mean_scores import mean_scores, new_contexts
from stela_synthid.ngrams import coins, context_hashes, g_values, ngram_hashes, words
from stela_synthid.sampling_table import sampling_table, share_of_ones
from transformers import SynthIDTextWatermarkLogitsProcessor

from tests.tiers import examples

KEYS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8)


def unsigned(keys: list[int]) -> np.ndarray:
    return np.array([key % 2**64 for key in keys], dtype=np.uint64)


def theirs(keys: list[int], ngram_len: int, size: int, seed: int) -> SynthIDTextWatermarkLogitsProcessor:
    return SynthIDTextWatermarkLogitsProcessor(ngram_len, keys, size, seed, 1024, torch.device("cpu"))


def bits_of(ids: list[int], keys: list[int], ngram_len: int, size: int, seed: int) -> np.ndarray:
    grams = np.lib.stride_tricks.sliding_window_view(np.array(ids), ngram_len)
    hashes = ngram_hashes(context_hashes(grams[:, :-1]), grams[:, -1])
    return g_values(hashes, unsigned(keys), sampling_table(seed, size))


@pytest.mark.parametrize("number", range(3))
def test_bits_and_scores_are_those_of_the_original_package(golden: dict[str, Any], number: int) -> None:
    case = golden["cases"][number]
    bits = bits_of(case["ids"], case["keys"], case["ngram_len"], case["table_size"], case["table_seed"])
    assert ["".join(map(str, row)) for row in bits.tolist()] == case["g"]
    grams = np.lib.stride_tricks.sliding_window_view(np.array(case["ids"]), case["ngram_len"])
    new = new_contexts(context_hashes(grams[:, :-1]))
    assert new.astype(int).tolist() == case["mask"]
    assert not new.all()
    scores = mean_scores(bits, new)
    assert scores["SynthID mean score"] == pytest.approx(case["mean"], abs=1e-6)  # theirs is float32
    assert scores["SynthID weighted mean score"] == pytest.approx(case["weighted_mean"], abs=1e-6)


@examples(60)
@given(
    st.lists(st.integers(0, 2**31), min_size=7, max_size=30), KEYS, st.integers(2, 6), st.integers(10, 17),
    st.integers(0, 2**63 - 1),
)  # fmt: skip
def test_bits_are_those_of_transformers(
    ids: list[int], keys: list[int], ngram_len: int, log_size: int, seed: int
) -> None:
    expected = theirs(keys, ngram_len, 1 << log_size, seed).compute_g_values(torch.tensor([ids]))
    assert (bits_of(ids, keys, ngram_len, 1 << log_size, seed) == expected[0].numpy()).all()


@examples(60)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=6), KEYS, st.integers(10, 13))
def test_bits_by_whole_numbers_of_any_length(gram: list[int], keys: list[int], log_size: int) -> None:
    """The definition in plain Python, a word of all layers beside it."""
    size = 1 << log_size
    table = sampling_table(3, size)
    state = 1
    for token in gram:
        state = ((state + token) * 6364136223846793005 + 1) % 2**64
    expected = [int(table[(state + key) * 6364136223846793005 + 1 & size - 1]) for key in keys]
    context, token = np.array([gram[:-1]], dtype=np.int64).reshape(1, -1), np.array([gram[-1]])
    hashes = ngram_hashes(context_hashes(context), token)
    assert hashes.tolist() == [state]
    assert g_values(hashes, unsigned(keys), table)[0].tolist() == expected
    word = int(words(unsigned(keys), table)[coins(hashes, size)][0])
    assert [word >> layer & 1 for layer in range(len(keys))] == expected


def test_equal_coins_are_equal_bits_whatever_the_tokens() -> None:
    """One text of 200 tokens in four holds such a pair."""
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**63, 2000).astype(np.uint64)
    numbers = coins(hashes, 1 << 12)
    firsts, inverse = np.unique(numbers, return_index=True, return_inverse=True)[1:]
    assert len(firsts) < 2000
    for seed in range(5):
        keys = layer_keys(seed, 30, derived=True)
        bits = g_values(hashes, keys, sampling_table(0, 1 << 12))
        assert (bits == bits[firsts][inverse]).all()


def test_share_of_ones_is_the_mean_over_keys() -> None:
    table = sampling_table(3, 1 << 16)
    hashes = np.array([12345], dtype=np.uint64)
    every = g_values(hashes, np.arange(1 << 16, dtype=np.uint64), table)
    assert every.mean() == share_of_ones(3, 1 << 16) == table.mean()
    assert share_of_ones(0, 1 << 16) == 32743 / 65536
    assert share_of_ones(3, 1 << 16) == 32927 / 65536
