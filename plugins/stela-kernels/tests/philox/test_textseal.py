"""TextSeal's hash: which tokens share bits, and its p-value of green numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from stela_kernels.philox.textseal_hash import OF_TOKEN, green_numbers
from stela_kernels.philox.textseal_score import mid_p
from stela_kernels.philox.textseal_tokens import free_of_shared_bits

from tests.tiers import examples


def slow_free(sums: list[int], depth: int, stride: int) -> list[bool]:
    """The rule in words, by u itself: bits of a token are drawn at u and at depth - 1 steps after it."""
    drawn = [{(one + layer * stride * OF_TOKEN) % 2**64 for layer in range(depth)} for one in sums]
    kept = []
    for n, own in enumerate(drawn):
        others = [drawn[m] for m in range(sums.index(sums[n])) if sums[m] != sums[n]]
        kept.append(not any(own & other for other in others))
    return kept


@examples(200)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(-3, 40)), max_size=25),
    st.sampled_from([1, 2, 5, 30]),
    st.sampled_from([1, 7, 659101]),
)
def test_who_shares_bits_is_the_rule(tokens: list[tuple[int, int]], depth: int, stride: int) -> None:
    sums = [(context * 7919 * 2**40 + place * 7 * OF_TOKEN) % 2**64 for context, place in tokens]
    said = free_of_shared_bits(np.array(sums, dtype=np.uint64), depth, stride)
    assert said.tolist() == slow_free(sums, depth, stride)


@pytest.mark.parametrize("gamma", [0.25, 0.5, 0.9])
def test_the_mid_p_value_is_scipys(gamma: float) -> None:
    for greens, trials in ((0, 1), (1, 1), (3, 40), (40, 40), (120, 200), (3300, 6000)):
        upper = special.betainc(greens, 1 + trials - greens, gamma)
        theirs = max(upper - 0.5 * stats.binom.pmf(greens, trials, gamma), 1e-200)
        assert mid_p(greens, trials, gamma) == pytest.approx(theirs, rel=1e-9)
    assert mid_p(0, 0, gamma) == 1.0


def test_numbers_below_gamma_are_compared_in_single_precision() -> None:
    uniforms = np.arange(8191, dtype=np.float32) / np.float32(8191)
    for h in (1, 1000, 4096, 8190):
        gamma = float(uniforms[h])
        assert green_numbers(gamma) == h
        assert green_numbers(np.nextafter(gamma, 1)) == h
        assert green_numbers(gamma + 1e-4) > h
