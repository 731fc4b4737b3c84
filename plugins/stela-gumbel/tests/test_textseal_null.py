"""TextSeal's hash on unmarked text: over random keys, keys that follow each other, and two at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from stela_gumbel.textseal_law import Paired
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.textseal_tokens import LAGS, free_of_steps

from tests.tiers import examples

KEYS = 20_000
OF_KEY = int(textseal_hash.key_part(1))


def sums_of(ids: list[int], width: int) -> npt.NDArray[np.uint64]:
    text = np.array(ids)
    at = np.arange(width, len(text))
    return textseal_hash.pair_sums(
        textseal_hash.context_sums(text[at[:, None] + np.arange(-width, 0)]), text[at]
    )


def zipf(length: int) -> list[int]:
    """Ids of which few are frequent, in no order of their numbers."""
    rng = np.random.default_rng(3)
    numbers = rng.permutation(50_000)
    return [int(numbers[one % 50_000]) for one in rng.zipf(1.3, length)]


@cache
def parts_of_keys(kind: str) -> npt.NDArray[np.uint64]:
    """What keys add: random ones, those from 1 on, or random ones of 32 bits."""
    if kind == "random":
        return np.random.default_rng(1).integers(0, 2**64, KEYS, dtype=np.uint64)
    keys = np.arange(1, KEYS + 1, dtype=np.uint64)
    if kind == "short":
        keys = np.random.default_rng(2).integers(0, 2**32, KEYS, dtype=np.uint64)
    return keys * np.uint64(OF_KEY)


def totals(sums: npt.NDArray[np.uint64], parts: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """The sum of the draws under each key."""
    total = np.zeros(len(parts))
    for one in sums:
        total += textseal_hash.DRAWS[textseal_hash.hashes(parts + one)]
    return total


def shares(total: npt.NDArray[np.float64], count: int) -> dict[float, float]:
    """Of keys, how many have a p-value of at most a, next to a."""
    p_values = stats.gamma.sf(total, count)
    return {alpha: float(np.mean(p_values <= alpha)) / alpha for alpha in (0.1, 0.01, 0.001)}


@pytest.mark.deep(keep=["1-random"])
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "following", "short"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_false_alarms_are_at_most_nominal(kind: str, width: int) -> None:
    sums = sums_of(zipf(240), width)
    kept = np.unique(sums[free_of_steps(sums)])
    assert len(kept) > 0.95 * len(np.unique(sums)) > 100
    for alpha, over in shares(totals(kept, parts_of_keys(kind)), len(kept)).items():
        assert over < 1 + 4 / (alpha * KEYS) ** 0.5, alpha


@pytest.mark.slow
def test_two_keys_that_are_12345_apart_are_as_good_as_two() -> None:
    sums = sums_of(zipf(240), 1)
    kept = np.unique(sums[free_of_steps(sums)])
    for kind in ("random", "following"):
        first = parts_of_keys(kind)
        both = np.concatenate([kept, kept + np.uint64(12345 * OF_KEY % 2**64)])
        for alpha, over in shares(totals(both, first), len(both)).items():
            assert over < 1 + 4 / (alpha * KEYS) ** 0.5, alpha


RELATED = {387677650177687090: 0.057, 18304921376098098423: 0.112, 191019254605152256: 0.219}
"""Distances of u, and how draws there correlate: two of a thousand random ones, and one of few digits."""


@pytest.mark.slow
@pytest.mark.parametrize("apart", RELATED)
@pytest.mark.parametrize("alpha", [0.5, 0.8])
def test_keys_that_correlate_have_a_wider_law(apart: int, alpha: float) -> None:
    """Of 40 tokens at random u: p-values hold, and without the correlation they would not at 0.2."""
    assert textseal_hash.dependence(apart) == pytest.approx(RELATED[apart], abs=0.001)
    u = np.random.default_rng(4).integers(0, 2**64, (60_000, 40), dtype=np.uint64)
    draws = np.stack(
        [textseal_hash.DRAWS[textseal_hash.hashes(u + np.uint64(c))] for c in (0, apart)], axis=2
    )
    weights, parts = np.ones(40), (alpha, 1 - alpha)
    law = Paired(parts, correlation=textseal_hash.dependence(apart))
    sums = (draws @ np.array(parts)).sum(axis=1)
    worst = draws[np.argsort(-sums)[:600]]  # p never grows with the sum
    for share in (0.01, 0.001):
        most = int(share * len(u) + 4 * (share * len(u)) ** 0.5)
        assert law.p_value(worst[min(most, 599)], weights, False) > share
    if RELATED[apart] > 0.2 and alpha == 0.5:
        plain = Paired(parts)
        assert plain.p_value(worst[int(0.001 * len(u) + 4 * (0.001 * len(u)) ** 0.5)], weights, False) < 0.001


def test_the_law_is_exact_at_both_ends() -> None:
    draws, weights = np.random.default_rng(0).exponential(size=(30, 1)) + 0.4, np.full(30, 2.0)
    same = Paired((0.3, 0.7), correlation=1.0).p_value(np.repeat(draws, 2, axis=1), weights, False)
    assert same == pytest.approx(stats.gamma.sf(draws.sum(), 30), rel=1e-9)
    apart = Paired((0.5, 0.5)).p_value(np.repeat(draws, 2, axis=1), weights, False)
    assert apart == pytest.approx(stats.gamma.sf(2 * draws.sum(), 60), rel=1e-9)
    assert Paired((0.5, 0.5), correlation=0.2).p_value(np.zeros((2, 2)), np.zeros(2), False) == 1


@pytest.mark.slow
def test_ids_that_count_up_would_alarm_and_are_left_out() -> None:
    sums = sums_of(list(range(5000, 5800)), 4)
    plain = shares(totals(sums, parts_of_keys("random")), len(sums))
    assert plain[0.001] > 4
    kept = sums[free_of_steps(sums)]
    assert len(kept) == 2
    assert shares(totals(kept, parts_of_keys("random")), 2)[0.001] < 1 + 4 / (0.001 * KEYS) ** 0.5


def slow_free(sums: list[int]) -> list[bool]:
    """The rule in words."""
    first: list[int] = []
    earlier: set[int] = set()
    free: dict[int, bool] = {}
    for one in sums:
        if one in free:
            continue
        steps = {min((one - other) % 2**64, (other - one) % 2**64) for other in first[-LAGS:]}
        free[one] = not steps & earlier
        earlier |= steps
        first.append(one)
    return [free[one] for one in sums]


@examples(200)
@given(st.lists(st.integers(0, 60), max_size=40), st.sampled_from([1, 2**63 - 7, 2**64 - 5, 12345]))
def test_what_is_left_out_is_the_rule(places: list[int], step: int) -> None:
    """In the order of the text, whatever the sums; and the draws have no say."""
    sums = [place * place * step % 2**64 for place in places]
    assert free_of_steps(np.array(sums, dtype=np.uint64)).tolist() == slow_free(sums)


def test_texts_of_no_token_and_of_one() -> None:
    assert free_of_steps(np.empty(0, dtype=np.uint64)).tolist() == []
    assert free_of_steps(np.array([5, 5], dtype=np.uint64)).tolist() == [True, True]
