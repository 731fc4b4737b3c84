from __future__ import annotations

import numpy as np
from stela_gumbel.signals import signals_of


def test_no_signal_of_24_bits_is_likelier_than_its_law() -> None:
    """All numbers: P(signal >= s) is the share of numbers at least as large."""
    numbers = np.arange(1 << 24, dtype=np.uint32)
    signals = signals_of(numbers, 24)
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
    signals = signals_of(numbers, 32)
    assert (1 - numbers / 2.0**32 <= np.exp(-signals)).all()
    assert signals.max() <= 32 * np.log(2)


def test_the_engines_own_scores_are_likelier_than_their_law() -> None:
    """Why ours are rounded down: SGLang's last bin has twice the probability that its score stands for."""
    theirs = -np.log1p(-(np.float64(2**32 - 1) + 0.5) / 2**32)
    assert 1.9 * np.exp(-theirs) < 2.0**-32
