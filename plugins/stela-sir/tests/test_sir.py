"""The hasher and the scheme: lists by meaning, which tokens count, that p-values hold, that text is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from stela_sir.hasher import SirHasher, SirParameters
from stela_sir.network import OUTPUTS
from stela_sir.network_file import FILES
from stela_testing import GreenListContract

import stela_core as stela
from stela_core.api import TokenBytes, mix, seed_of
from tests.tiers import Draws
from tests.tiny_vocabulary import detector_under, require_rows_as_alone

from .conftest import Bound

KEY = 0x0123456789ABCDEF
GOLDEN = [0xCFC149CF54580397, 0x7EBE930232D6D71B, 0xEC590714CA2E4B60, 0x9D9FB5471CB598A8]


class TestSirHasher(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, bound: Bound) -> stela.GreenList:
        return bound(gamma=0.25)

    def test_green_share_is_gamma(self, hasher: stela.GreenList) -> None:
        """Exactly under any context, over the outputs; and over keys for any token."""
        patterns = np.unpackbits(hasher.seeds(self.contexts(hasher)).view(np.uint8), axis=1)
        assert (patterns.sum(axis=1) == 64).all()
        seeds, tokens = hasher.seeds(self.contexts(hasher, 1)), np.array([77])
        green = sum(bool(hasher.under(key).green(seeds, tokens)[0]) for key in range(2_000))
        assert binomtest(green, 2_000, 0.25).pvalue > 1e-5


class TestOfLongContexts(TestSirHasher):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, bound: Bound) -> stela.GreenList:
        return bound(context_width=40, gamma=0.25)


def bit(seed: np.ndarray[tuple[int], np.dtype[np.uint64]], output: int) -> bool:
    return bool(int(seed[output // 64]) >> output % 64 & 1)


def test_colours_are_the_definition(bound: Bound) -> None:
    """In plain integers: the class's output is drawn by the key, and looked up in the context's pattern."""
    hasher = bound(KEY)
    random = np.random.default_rng(0)
    seeds, tokens = hasher.seeds(random.integers(-1, 8_192, (60, 16))), random.integers(0, 8_192, 60)
    of_tokens = seed_of(KEY, (2**32 - 3,))
    expected = [
        bit(seed, int(mix(of_tokens, np.array([token]))[0]) * OUTPUTS >> 32)
        for seed, token in zip(seeds, tokens.tolist(), strict=True)
    ]
    assert hasher.green(seeds, tokens).tolist() == expected


def test_golden_seeds(bound: Bound) -> None:
    """Of the shipped network: the same on every machine, for ever."""
    seeds = bound().seeds(np.arange(100, 132).reshape(2, 16))
    assert seeds[0].tolist() == GOLDEN


def test_outputs_are_uniform_over_keys(bound: Bound) -> None:
    tokens = np.arange(8_192)
    counts = np.bincount(
        np.concatenate([bound(key).outputs_of(tokens) for key in range(8)]), minlength=OUTPUTS
    )
    expected = 8 * 8_192 / OUTPUTS
    assert ((counts - expected) ** 2 / expected).sum() < 255 + 6 * (2 * 255) ** 0.5  # chi squared, 6 sd


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=40))
def test_each_class_counts_once_or_where_it_is_the_same_coin(
    bound: Bound, made: list[tuple[int, int]]
) -> None:
    hasher = bound()
    patterns = hasher.seeds(np.arange(48).reshape(3, 16) * 50)
    seeds = patterns[[pattern for pattern, _ in made]]
    tokens = np.array([token for _, token in made], dtype=np.int64)
    first: dict[int, int] = {}
    expected = [first.setdefault(token, pattern) == pattern for pattern, token in made]
    assert hasher.independent(seeds, tokens).tolist() == expected


def test_near_contexts_have_like_lists(bound: Bound, human: list[list[int]]) -> None:
    hasher = bound()
    rows = [np.array(row[:120]) for row in human if len(row) >= 120][:40]
    bits = [
        np.unpackbits(hasher.seeds(hasher.contexts(r, np.arange(16, 120))).view(np.uint8), axis=1)
        for r in rows
    ]
    next_to = np.mean([(b[1:] == b[:-1]).mean() for b in bits])
    elsewhere = np.mean([(bits[n][50] == bits[n - 1][50]).mean() for n in range(len(bits))])
    assert next_to > 0.9
    assert elsewhere < 0.75


@pytest.mark.parametrize("width", [16, 2])
def test_p_values_hold_on_human_text(human: list[list[int]], width: int, draws: Draws) -> None:
    """Over random keys, one each."""
    mark = stela.create("sir", "tiny", key="public", context_width=width)
    keys = np.random.default_rng(0).integers(0, 2**63, draws(300, 100)).tolist()
    rows = [human[n % len(human)] for n in range(len(keys))]
    tested = [detector_under(mark, key).detect_ids([row]) for key, row in zip(keys, rows, strict=True)]
    p = np.array([one[0].p_value for one in tested])
    for level in (0.5, 0.1, 0.02):
        assert binom.sf((p <= level).sum() - 1, len(p), level) > 1e-6
    assert np.median(p) < 0.75


def test_p_values_hold_where_a_word_comes_again_and_again(human: list[list[int]], draws: Draws) -> None:
    """One token under many contexts is one draw: all of them counted, false alarms would be many."""
    mark = stela.create("sir", "tiny", key="public")
    words = [token for row in human[:30] for token in row[:20]]
    row = [token for word in words for token in (word, 300)]
    keys = np.random.default_rng(1).integers(0, 2**63, draws(400, 80)).tolist()
    p = np.array([detector_under(mark, key).detect_ids([row])[0].p_value for key in keys])
    assert binom.sf((p <= 0.02).sum() - 1, len(p), 0.02) > 1e-6


def test_marked_logits_are_found(tokens: TokenBytes) -> None:
    """Sampled from flat logits under the mark: found, and not under another key."""
    mark = stela.create("sir", "tiny", key=KEY, delta=2.0)
    marker, ids = mark.marker(), [[100]]
    generator = torch.Generator().manual_seed(0)
    for _ in range(80):
        scores = marker(ids, torch.zeros(1, len(tokens)))
        ids[0].append(int(torch.multinomial(scores.softmax(-1), 1, generator=generator)))
    assert mark.detect_ids(ids)[0].p_value < 1e-6
    assert detector_under(mark, KEY + 1).detect_ids(ids)[0].p_value > 1e-3


def test_rows_with_keys_of_their_own_are_marked_as_alone(tokens: TokenBytes) -> None:
    require_rows_as_alone("sir", tokens)


def test_a_profile_keeps_its_parameters(tmp_path: Path) -> None:
    mark = stela.create("sir", "tiny", key="public", gamma=0.25, context_width=8)
    mark.save(tmp_path / "p.stela")
    hasher = stela.load(tmp_path / "p.stela").parts.hasher
    assert isinstance(hasher, SirHasher)
    assert hasher.parameters == SirParameters(gamma=0.25, context_width=8)
    assert hasher.log_choices == 0
    assert hasher.parameters.sha256 == FILES.shipped_digest("tiny")


def test_shares_that_are_not_of_256_are_refused() -> None:
    with pytest.raises(
        stela.StelaError, match=r"gamma: is not a multiple of 1/256, such as 0.300781 \(got 0.3\)"
    ):
        stela.create("sir", "tiny", key="public", gamma=0.3)
