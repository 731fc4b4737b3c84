"""Fast ways of reading against slow ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_gumbel.own import Gumbel
from stela_payload.blocks import chosen_blocks, seeds_of_values
from stela_payload.choosing import best_of_codes
from stela_payload.decoding import totals_of
from stela_payload.encoder import Payload
from stela_payload.interface import ScoredTokens, SeedEncoder
from stela_payload.permutation import codes_of
from stela_payload.reed_solomon import ReedSolomon
from stela_payload.scores import Pairs, any_mark_scores, scores_of_values
from stela_testing.colours import mix_reference

import stela_core as stela
from stela_core.api import GroupedParameters, GroupedScorer, KeyedHasher
from tests.tiers import examples

MARKS: list[stela.Hasher[Any]] = [
    KeyedHasher(stela.HasherParameters(gamma=0.3), 5),
    Gumbel(Gumbel.Parameters(), 5),
]


def text(count: int, seed: int) -> tuple[Any, ...]:
    """Seeds, tokens and stakes."""
    random = np.random.default_rng(seed)
    seeds = random.integers(0, 2**64, count, dtype=np.uint64)
    return seeds, random.integers(0, 200_000, count), random.random(count)


@pytest.mark.parametrize("mark", MARKS, ids=["keyed", "gumbel"])
@pytest.mark.parametrize("bits", [5, 16, 32])
def test_scores_are_those_of_the_marks_own_draws(mark: stela.Hasher[Any], bits: int) -> None:
    """Of green lists exactly; of exponential draws to a 65,536th of their range, but for its upper end."""
    shape = 8 if bits > 16 else 1, 1 << min(bits, 16)
    seeds, tokens, stakes = text(9, bits)
    given_ = mark, Pairs(seeds, tokens, stakes, chosen_blocks(seeds, shape[0])), shape
    fast, slow = scores_of_values(*given_), any_mark_scores(*given_)
    if mark.law.is_green_list:
        assert np.allclose(fast, slow, atol=1e-5)
    else:
        assert np.median(np.abs(fast - slow)) < 1e-3
        assert np.quantile(np.abs(fast - slow), 0.999) < 0.05


@given(messages=st.lists(st.integers(0, 2**40 - 1), min_size=1, max_size=9), seed=st.integers(0, 99))
@examples(20)
def test_best_of_some(messages: list[int], seed: int) -> None:
    """The best of many codewords has the largest sum."""
    code = ReedSolomon(40, 12, 4)
    scores = np.random.default_rng(seed).normal(size=(12, 1024)).astype(np.float32)
    issued = np.array(sorted(set(messages)), dtype=np.uint64)
    sums = {}
    for message, symbols in zip(issued.tolist(), code.symbols_of(issued).T, strict=True):
        sums[message] = sum(float(scores[n][symbol]) for n, symbol in enumerate(symbols))
    assert sums[best_of_codes(scores, code, issued)] == pytest.approx(max(sums.values()))
    assert totals_of(scores, code.symbols_of(issued)) == pytest.approx(list(sums.values()))


@pytest.mark.parametrize("bits", [1, 16, 24, 64])
def test_seeds_of_messages_are_those_of_their_values(bits: int) -> None:
    """The compiled pass against the definition, with one message and with one for each seed."""
    encoder, random = Payload(Payload.Parameters(bits=bits)), np.random.default_rng(bits)
    seeds = random.integers(0, 2**64, 50, dtype=np.uint64)
    messages = random.integers(0, 2**64, 50, dtype=np.uint64) >> np.uint64(64 - bits)
    blocks = chosen_blocks(seeds, encoder.code.n)
    words = encoder.code.symbols_of(codes_of(messages, bits, 7)).astype(np.uint64)
    values = words[blocks, np.arange(50)]
    assert encoder.seeds_of(seeds, messages, 7).tolist() == seeds_of_values(seeds, values).tolist()
    one = words[blocks, 0]
    assert encoder.seeds(seeds, int(messages[0]), 7).tolist() == seeds_of_values(seeds, one).tolist()


def test_golden_seeds() -> None:
    """SplitMix64's finaliser, worked out with Python's integers: for ever."""
    seed, value, mask = 0x0123456789ABCDEF, 0xBEEF, 2**64 - 1
    x = seed + (value + 1) * 0x9E3779B97F4A7C15 & mask
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    x ^= x >> 31
    assert seeds_of_values(np.array([seed], dtype=np.uint64), np.array([value], dtype=np.uint64)) == [x]
    seeds = np.random.default_rng(0).integers(0, 2**64, 50, dtype=np.uint64)
    blocks = [mix_reference(int(seed), 2**32 - 1) * 8 >> 32 for seed in seeds]
    assert chosen_blocks(seeds, 8).tolist() == blocks


def test_blocks_are_balanced() -> None:
    """Each of eight has an eighth of the seeds, within five standard deviations."""
    seeds = np.random.default_rng(0).integers(0, 2**64, 80_000, dtype=np.uint64)
    counts = np.bincount(chosen_blocks(seeds, 8), minlength=8)
    assert np.abs(counts - 10_000).max() < 5 * np.sqrt(80_000 * 7 / 64)


@pytest.mark.deep(keep=["8-keyed", "24-gumbel"])
@pytest.mark.parametrize("mark", MARKS, ids=["keyed", "gumbel"])
@pytest.mark.parametrize("bits", [8, 24])
def test_parts_are_read_as_by_themselves(mark: stela.Hasher[Any], bits: int) -> None:
    """Of a text without repeats, in any order of the parts; also among issued messages."""
    encoder = Payload(Payload.Parameters(bits=bits))
    seeds, tokens, stakes = text(700, bits)
    parts = [(0, 32), (512, 700), (16, 48), (0, 256), (600, 700), (32, 64)]
    scorer = GroupedScorer(GroupedParameters())
    whole = ScoredTokens(mark, seeds, tokens, stakes, np.arange(700), scorer)
    for each in (encoder, encoder.among([1, 2, 3, 99])):
        assert each.best_of_parts(whole, parts) == SeedEncoder.best_of_parts(each, whole, parts)
