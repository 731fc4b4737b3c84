from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_kernels.philox.draws import exponential_draws, nearness_draws


@pytest.mark.slow
def test_no_signal_of_24_bits_is_likelier_than_its_law() -> None:
    """All numbers: P(signal >= s) is the share of numbers at least as large."""
    for start in range(0, 1 << 24, 1 << 20):
        numbers = np.arange(max(start - 1, 0), start + (1 << 20), dtype=np.uint32)
        signals = exponential_draws(numbers, 24)
        share = 1 - numbers / 2.0**24
        # exp is right to some units in the last place; what was taken off the signals is more.
        assert (share <= np.exp(-signals)).all()
        assert (signals >= -np.log1p(-numbers / 2.0**24) * (1 - 1e-14)).all()
        assert (np.diff(signals) > 0).all()


def test_nor_of_32_bits_at_both_ends_and_between() -> None:
    rng = np.random.default_rng(0)
    top = 2**32 - 1
    numbers = np.concatenate([np.arange(1000), top - np.arange(1000), rng.integers(0, top, 100_000)]).astype(
        np.uint32
    )
    signals = exponential_draws(numbers)
    assert (1 - numbers / 2.0**32 <= np.exp(-signals)).all()
    assert signals.max() <= 32 * np.log(2)


def test_the_engines_own_scores_are_likelier_than_their_law() -> None:
    """Why ours are rounded down: SGLang's last bin has twice the probability that its score stands for."""
    theirs = -np.log1p(-(np.float64(2**32 - 1) + 0.5) / 2**32)
    assert 1.9 * np.exp(-theirs) < 2.0**-32


@given(st.integers(0, 2**32 - 1))
def test_exponential_draws_are_at_most_their_law(number: int) -> None:
    """P(X >= x) / 2**32 numbers are at least this one, and exp(-draw) is no less."""
    draw = float(exponential_draws(np.array([number], dtype=np.uint32))[0])
    assert draw >= 0
    assert (2**32 - number) / 2**32 <= exp(-draw) * (1 + 1e-15)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_nearness_counts_the_numbers_that_are_as_near(drawn: int, fixed: int) -> None:
    apart = abs(drawn - fixed)
    below = min(apart, fixed)
    above = min(apart, 2**32 - 1 - fixed)
    near = float(nearness_draws(np.array([drawn], dtype=np.uint32), np.array([fixed], dtype=np.uint32))[0])
    assert near >= 0
    assert (below + above + 1) / 2**32 <= exp(-near) * (1 + 1e-15)
    assert near == pytest.approx(-log((below + above + 1) / 2**32), abs=1e-12)


def test_nearness_of_all_numbers_of_a_small_range() -> None:
    """Over all numbers the share that is as near is a valid p-value: P(share <= s) <= s."""
    fixed, every = 37 << 24, np.arange(0, 2**32, 2**16, dtype=np.int64).astype(np.uint32)
    share = np.sort(np.exp(-nearness_draws(every, np.full(len(every), fixed, dtype=np.uint32))))
    assert np.abs(share - np.arange(1, len(every) + 1) / len(every)).max() < 3 * 2**16 / 2**32
