"""Pairs that BPE tears, against the tokenizers' library."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_models.tokenizer import load_tokenizer
from stela_transformers.round_trip.bpe_pairs import BpePairs, Halves, merges_of
from tokenizers import Tokenizer, models

import stela_core as stela


@cache
def of_model(name: str) -> Tokenizer:
    return load_tokenizer(stela.create_registry(), name)


def cut(tokenizer: Tokenizer, *tokens: str) -> list[int]:
    """BPE alone, without normalizer and pre-tokenizer, on the tokens' spelling."""
    return [token.id for token in tokenizer.model.tokenize("".join(tokens))]


@pytest.mark.parametrize("name", [pytest.param("tiny", marks=pytest.mark.slow), "tiny-small"])
def test_every_follower_as_the_library_cuts(name: str) -> None:
    tokenizer = of_model(name)
    pairs = BpePairs.of(tokenizer)
    assert pairs is not None
    merges = merges_of(tokenizer)
    assert merges is not None
    plain = Halves(*(part.tolist() for part in merges[:3]), merges.pairs)
    spelled = {index: token for token, index in tokenizer.get_vocab(with_added_tokens=False).items()}
    rng = random.Random(7)
    torn = 0
    for special in tokenizer.get_added_tokens_decoder():
        del spelled[special]
    for token in rng.sample([i for i in spelled if pairs.made[i]], 60):
        unstable = pairs.unstable_after(token).tolist()
        assert unstable == sorted(set(unstable))
        torn += len(unstable)
        some = [*rng.sample(sorted(spelled), 40), *rng.sample(unstable, min(20, len(unstable)))]
        for follower in filter(pairs.made.__getitem__, some):
            stays = cut(tokenizer, spelled[token], spelled[follower]) == [token, follower]
            assert stays == (follower not in unstable) == plain.stable(token, follower)
    assert torn > 100


@pytest.mark.parametrize("name", ["tiny", "tiny-small"])
def test_tokens_that_bpe_never_makes(name: str) -> None:
    tokenizer = of_model(name)
    pairs = BpePairs.of(tokenizer)
    assert pairs is not None
    for token, index in tokenizer.get_vocab(with_added_tokens=False).items():
        if len(token) > 1 and not tokenizer.get_added_tokens_decoder().get(index):
            assert pairs.made[index] == (cut(tokenizer, token) == [index])


MERGES = [
    ("a", "a"),
    ("a", "b"),
    ("aa", "b"),
    ("a", "ab"),
    ("b", "a"),
    ("aa", "aa"),
    ("ab", "ab"),
    ("b", "b"),
]
"""Small, and full of ties and of tokens with several splits, as SentencePiece's have."""


@given(st.permutations(MERGES), st.lists(st.integers(0, 6), min_size=1, max_size=8))
def test_a_row_is_canonical_where_its_pairs_are(order: list[tuple[str, str]], row: list[int]) -> None:
    ranks = {pair: rank for rank, pair in enumerate(order)}
    order = [p for p in order if all(len(x) == 1 or known_before(x, ranks, ranks[p]) for x in p)]
    whole = dict.fromkeys(first + second for first, second in order)
    vocabulary = {token: index for index, token in enumerate(["a", "b", *whole])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=order))
    pairs = BpePairs.of(tokenizer)
    assert pairs is not None
    row = [index % len(vocabulary) for index in row]
    names = list(vocabulary)
    stable = all(pairs.made[index] for index in row) and not any(
        follower in pairs.unstable_after(token) for token, follower in pairwise(row)
    )
    assert (cut(tokenizer, *(names[index] for index in row)) == row) == stable


def known_before(token: str, ranks: dict[tuple[str, str], int], rank: int) -> bool:
    """Whether some merge makes the token earlier: trained merges come in no other order."""
    return any(
        first + second == token
        and number < rank
        and all(len(part) == 1 or known_before(part, ranks, number) for part in (first, second))
        for (first, second), number in ranks.items()
    )


def test_other_models_have_none() -> None:
    assert BpePairs.of(Tokenizer(models.Unigram([("a", -1.0)], 0, False))) is None
    assert BpePairs.of(Tokenizer(models.WordPiece({"a": 0}, unk_token="a"))) is None


def test_what_is_remembered_is_bounded() -> None:
    pairs = BpePairs.of(of_model("tiny"))
    assert pairs is not None
    for token in range(2000):
        assert pairs.unstable_after(token).dtype == np.int64
    assert pairs.unstable_after.cache_info().currsize <= 512
    assert len(pairs.unstable_after(10**6)) == 0
