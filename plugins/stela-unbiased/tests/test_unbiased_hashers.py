"""Insertion and detection of reweighted marks: the contract, the null, golden values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from stela_testing import SamplingHasherContract
from stela_testing.colours import mix_reference
from stela_unbiased.delta import DeltaHasher
from stela_unbiased.permuted import PermutedHasher
from stela_unbiased.second_half import DipHasher, GammaHasher

import stela_core as stela
from stela_core.api import seed_of

KEY = 0x0123456789ABCDEF
GOLDEN_DELTA = [
    0.8709118499407368, 3.8414303766661493, 2.0758897333413344, 0.9414420132130598, 1.480153318997607,
]  # fmt: skip
GOLDEN_LATER = [0.0, 0.0, 1.0, 1.0, 0.0]
KINDS: list[type[PermutedHasher]] = [DeltaHasher, GammaHasher, DipHasher]
kinds = pytest.mark.parametrize("kind", KINDS)


class TestDelta(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return DeltaHasher(DeltaHasher.Parameters(), KEY)


class TestGamma(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return GammaHasher(GammaHasher.Parameters.model_validate({"strength": 0.8}), KEY)


class TestDip(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return DipHasher(DipHasher.Parameters.model_validate({"separator": 0.7}), KEY)


@kinds
def test_contexts_are_used_once(kind: type[PermutedHasher]) -> None:
    hasher = kind(kind.Parameters(), KEY)
    assert (hasher.first_only, hasher.context_width, hasher.key_in_seed) == (True, 5, True)
    assert hasher.seeds(np.array([[1, 2, 3, 4, 5]])).tolist() == [seed_of(KEY, (1, 2, 3, 4, 5))]


@pytest.mark.parametrize("separator", [0.5, 0.3, 0.75])
def test_the_later_part_is_that_of_the_numbers(separator: float) -> None:
    hasher = DipHasher(DipHasher.Parameters.model_validate({"separator": separator}), KEY)
    seeds = hasher.seeds(np.arange(50)[:, None])
    tokens = np.arange(50) * 7
    later = [
        float(mix_reference(int(seed), int(token)) >= int(separator * 2**32))
        for seed, token in zip(seeds, tokens, strict=True)
    ]
    assert hasher.draws(seeds, tokens)[:, 0].tolist() == later
    shown = hasher.law.signal(hasher.draws(seeds, tokens)) > hasher.law.middle
    assert shown.tolist() == [bool(one) for one in later]
    assert hasher.law == stela.Bernoulli((2**32 - int(separator * 2**32)) / 2**32)


def test_delta_is_the_token_that_u_hits() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 30)) * 3
    scores[:, 4] = -np.inf
    hasher = DeltaHasher(DeltaHasher.Parameters(), KEY)
    seeds = hasher.seeds(rng.integers(0, 100, (20, 5)))
    out = hasher.mark(torch.from_numpy(scores), seeds, 25).numpy()
    for row, seed in enumerate(seeds.tolist()):
        p = np.exp(scores[row, :25]) / np.exp(scores[row, :25]).sum()
        total, u = 0.0, ((seed >> 32) + 0.5) / 2**32
        for token in sorted(range(25), key=lambda one: mix_reference(seed, one)):
            total += p[token]
            if total > u:
                break
        assert out[row].tolist() == [0 if v == token else -np.inf for v in range(30)]


@kinds
def test_marks_keep_the_type_and_what_was_left_out(kind: type[PermutedHasher]) -> None:
    torch = pytest.importorskip("torch")
    hasher = kind(kind.Parameters(), KEY)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        scores = torch.randn(3, 400, generator=torch.Generator().manual_seed(0)).to(dtype)
        scores[:, 50:390] = -torch.inf
        before = scores.clone()
        out = hasher.mark(scores, hasher.seeds(np.arange(15).reshape(3, 5)), 395)
        assert out.dtype == dtype
        assert torch.equal(scores, before)
        assert not out.isnan().any()
        assert out.isfinite().any(dim=1).all()
        assert (out[:, 50:390] == -torch.inf).all()
        assert (out[:, 395:] == -torch.inf).all()


@kinds
def test_a_sure_token_stays_sure(kind: type[PermutedHasher]) -> None:
    torch = pytest.importorskip("torch")
    hasher = kind(kind.Parameters(), KEY)
    scores = torch.full((1, 10), -torch.inf)
    scores[0, 3] = 2.5
    out = hasher.mark(scores, hasher.seeds(np.arange(5)[None]), 10)
    assert out.softmax(-1)[0].tolist() == [float(token == 3) for token in range(10)]


@kinds
def test_signals_of_unmarked_text_over_keys_follow_the_law(kind: type[PermutedHasher]) -> None:
    """Their sum over one fixed text, in which tokens repeat, contexts do not."""
    ids = np.array([5, 9, 5, 5, 2, 9, 7, 5, 1, 0, 3, 3, 3, 5, 9, 5, 2, 2])
    sums = []
    for key in np.random.default_rng(4).integers(0, 2**64, 2_000, dtype=np.uint64).tolist():
        hasher = kind(kind.Parameters(), key)
        positions = np.arange(5, len(ids))
        draws = hasher.draws(hasher.seeds(hasher.contexts(ids, positions)), ids[positions])
        sums.append(float(draws.sum()))
    if kind is DeltaHasher:
        assert stats.kstest(sums, stats.gamma(13).cdf).pvalue > 1e-4
    else:
        expected = stats.binom(13, 0.5).pmf(np.arange(14)) * len(sums)
        observed = np.bincount(np.array(sums, dtype=np.int64), minlength=14)
        cells = [slice(0, 4), *(slice(n, n + 1) for n in range(4, 10)), slice(10, 14)]
        tested = stats.chisquare(
            [observed[cell].sum() for cell in cells], [expected[cell].sum() for cell in cells]
        )
        assert tested.pvalue > 1e-4


def test_two_tokens_of_one_context_are_independent_draws() -> None:
    """What grouping by (context, token) rests on where both share the number u."""
    hasher = DeltaHasher(DeltaHasher.Parameters(), KEY)
    seeds = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64)
    one, other = (hasher.draws(seeds, np.full(len(seeds), token))[:, 0] for token in (3, 4))
    cells = np.histogram2d(np.exp(-one), np.exp(-other), bins=4, range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(cells.ravel()).pvalue > 1e-4


def test_golden_signals() -> None:
    """Worked out once with the definitions in plain integers: for ever."""
    contexts, tokens = np.arange(25).reshape(5, 5), np.array([0, 1, 2, 50_000, 151_935])
    delta = DeltaHasher(DeltaHasher.Parameters(), KEY)
    assert delta.draws(delta.seeds(contexts), tokens)[:, 0] == pytest.approx(GOLDEN_DELTA, rel=1e-12)
    dip = DipHasher(DipHasher.Parameters(), KEY)
    assert dip.draws(dip.seeds(contexts), tokens)[:, 0].tolist() == GOLDEN_LATER
