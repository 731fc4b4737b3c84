"""Insertion and detection by a key sequence: definitions, distributions over keys, golden values."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from exp_texts import make, written
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from stela_exp.exponential import ExpHasher
from stela_exp.inverse import ORDER, ItsHasher, uniforms
from stela_exp.key_sequence import SHIFT_SEED, KeySequenceHasher, shift_of
from stela_testing import SamplingHasherContract
from stela_testing.colours import mix_reference

import stela_core as stela
from stela_core.api import seed_of
from tests.tiers import Draws

KEY = 0x0123456789ABCDEF
GOLDEN_EXP = [
    0.06085519086683507, 1.7208224807426626, 1.2665101734557849, 1.3916670534889846, 1.4648513119300004,
]  # fmt: skip
GOLDEN_ITS = [
    0.08867217575630183, 1.2471904360996438, 0.4856063385853042, 3.0511593670068153, 0.05011971890533201,
]  # fmt: skip
GOLDEN_SHIFT = 134
KINDS = [ExpHasher, ItsHasher]
kinds = pytest.mark.parametrize("kind", KINDS)


class TestExp(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return make(ExpHasher, KEY, length=400, free=2)


class TestIts(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return make(ItsHasher, KEY, length=400)


@given(st.lists(st.integers(0, 2**31), max_size=3), st.integers(1, 2**16))
def test_the_shift_is_public_and_its_definition(first: list[int], length: int) -> None:
    number = 0
    for token in first:
        number = mix_reference(SHIFT_SEED * 2**32 + number, token)
    assert shift_of(first, length) == int(number / 2**32 * length)


@kinds
def test_contexts_are_places_of_the_sequence(kind: type[KeySequenceHasher]) -> None:
    ids = np.array([17, 4, 99, 5, 6, 7, 8])
    hasher = make(kind, KEY, length=4, free=2)
    shift = shift_of([17, 4], 4)
    assert hasher.contexts(ids, np.arange(2, 7)).tolist() == [[(shift + t) % 4] for t in range(2, 7)]
    assert make(kind, KEY, length=4, free=0).contexts(ids, np.arange(7))[:, 0].tolist() == [
        0, 1, 2, 3, 0, 1, 2,
    ]  # fmt: skip
    assert hasher.first_only
    # What comes at or after a token has no part in its context.
    other = ids.copy()
    other[5:] = 1
    assert (hasher.contexts(ids, np.array([5])) == hasher.contexts(other, np.array([5]))).all()
    assert hasher.sequence().tolist() == [seed_of(KEY, (place,)) for place in range(4)]


def test_golden_signals() -> None:
    """Worked out once with the definitions in plain integers: for ever."""
    tokens = np.array([0, 1, 2, 50_000, 151_935])
    one = ExpHasher(ExpHasher.Parameters(), KEY)
    seeds = one.seeds(np.arange(5)[:, None])
    assert one.draws(seeds, tokens)[:, 0] == pytest.approx(GOLDEN_EXP, rel=1e-12)
    other = ItsHasher(ItsHasher.Parameters(), KEY)
    assert other.draws(seeds, tokens)[:, 0] == pytest.approx(GOLDEN_ITS, rel=1e-12)
    assert shift_of([17], 256) == GOLDEN_SHIFT


def test_exponential_minimum_sampling_is_the_first_clock() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 30)) * 3
    scores[:, 4] = -np.inf
    hasher = ExpHasher(ExpHasher.Parameters(), KEY)
    seeds = hasher.seeds(np.arange(20)[:, None])
    out = hasher.mark(torch.from_numpy(scores), seeds, 25).numpy()
    for row, seed in enumerate(seeds.tolist()):
        xi = [(mix_reference(seed, token) + 0.5) / 2**32 for token in range(25)]
        clocks = [
            -log(x) / exp(s) if np.isfinite(s) else np.inf for x, s in zip(xi, scores[row], strict=False)
        ]
        assert out[row].tolist() == [0 if v == int(np.argmin(clocks)) else -np.inf for v in range(30)]


def test_inverse_transform_sampling_is_the_token_that_u_hits() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 30)) * 3
    scores[:, 4] = -np.inf
    hasher = ItsHasher(ItsHasher.Parameters(), KEY)
    seeds = hasher.seeds(np.arange(20)[:, None])
    out = hasher.mark(torch.from_numpy(scores), seeds, 25).numpy()
    order = sorted(range(25), key=lambda token: mix_reference(seed_of(KEY, ORDER), token))
    for row, seed in enumerate(seeds.tolist()):
        p = np.exp(scores[row, :25]) / np.exp(scores[row, :25]).sum()
        total, u = 0.0, ((seed >> 32) + 0.5) / 2**32
        for token in order:
            total += p[token]
            if total > u:
                break
        assert out[row].tolist() == [0 if v == token else -np.inf for v in range(30)]


@kinds
def test_marks_leave_what_they_were_given(kind: type[KeySequenceHasher]) -> None:
    torch = pytest.importorskip("torch")
    hasher = make(kind, KEY)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        scores = torch.randn(3, 40, generator=torch.Generator().manual_seed(0)).to(dtype)
        before = scores.clone()
        out = hasher.mark(scores, hasher.seeds(np.arange(3)[:, None]), 40)
        assert out.dtype == dtype
        assert torch.equal(scores, before)
        assert (out.isfinite().sum(dim=1) == 1).all()


@kinds
@pytest.mark.slow
def test_texts_over_keys_are_distributed_as_the_model_s(kind: type[KeySequenceHasher], draws: Draws) -> None:
    """Distortion-free: whole texts, their free first token and the shift that follows from it included.

    Five tokens with a sequence of three places: the fifth has a place that is used up, and is drawn freely.
    """
    pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    model = rng.dirichlet(np.ones(2) * 2, 2)
    count, cells = draws(1_500, 500), list(product(range(2), repeat=4))
    texts = [
        tuple(written(make(kind, int(key), 3), model, 4, rng))
        for key in rng.integers(0, 2**64, count, dtype=np.uint64)
    ]
    expected = [model[0, a] * model[a, b] * model[b, c] * model[c, d] * count for a, b, c, d in cells]
    observed = [texts.count(cell) for cell in cells]
    assert stats.chisquare(observed, expected).pvalue > 1e-4


@kinds
def test_each_token_over_keys_has_the_model_s_probability(kind: type[KeySequenceHasher]) -> None:
    torch = pytest.importorskip("torch")
    p = np.array([0.5, 0.25, 0.15, 0.07, 0.03])
    count = 20_000 if kind.key_in_seed else 1_000
    keys = np.random.default_rng(3).integers(0, 2**64, count, dtype=np.uint64).tolist()
    scores = torch.from_numpy(np.log(p))
    if kind.key_in_seed:  # all keys in one call
        seeds = np.array([seed_of(key, (3,)) for key in keys], dtype=np.uint64)
        drawn = make(kind, KEY).mark(scores.repeat(count, 1), seeds, 5).argmax(dim=1).numpy()
    else:
        hashers = [make(kind, key) for key in keys]
        place = np.array([[3]])
        drawn = np.array([int(one.mark(scores[None], one.seeds(place), 5).argmax()) for one in hashers])
    assert stats.chisquare(np.bincount(drawn, minlength=5), p * count).pvalue > 1e-4


@kinds
def test_signals_of_unmarked_text_over_keys_are_exponential(kind: type[KeySequenceHasher]) -> None:
    """Each token's, and their sum's: over keys, of one fixed text with repeats."""
    ids = np.array([5, 9, 5, 5, 2, 9, 7, 5, 1, 0, 3, 3, 3])
    sums, first = [], []
    for key in np.random.default_rng(4).integers(0, 2**64, 2_000, dtype=np.uint64).tolist():
        hasher = make(kind, key, length=64)
        positions = np.arange(1, len(ids))
        draws = hasher.draws(hasher.seeds(hasher.contexts(ids, positions)), ids[positions])
        assert draws.shape == (len(positions), 1)
        sums.append(draws.sum())
        first.append(draws[0, 0])
    assert stats.kstest(first, stats.expon.cdf).pvalue > 1e-4
    assert stats.kstest(sums, stats.gamma(len(ids) - 1).cdf).pvalue > 1e-4


def test_its_places_come_from_the_upper_half_of_seeds() -> None:
    assert uniforms(np.array([0xDEADBEEF01234567], dtype=np.uint64)).tolist() == [0xDEADBEEF]
