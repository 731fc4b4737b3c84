"""The oracle of learning, by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from .slow_learning import Means, Observation, mean_of, prune, smooth, unbiased_gini


def test_means_over_suffixes() -> None:
    observed = [Observation(("a", "b"), 100_000), Observation(("c", "b"), 300_000), Observation((), 500_000)]
    made = Means(observed, 1)
    assert made.means == {(): pytest.approx(0.3), ("b",): pytest.approx(0.2)}
    assert made.counts == {(): 3, ("b",): 2}


def test_smoothing() -> None:
    """m = 2: root 0.5; "e" seen 4 times at 0.8; "he" twice at 0.2; "xe" once, left out."""
    means = {(): 0.5, ("e",): 0.8, ("h", "e"): 0.2, ("x", "e"): 1.0}
    counts = Counter({(): 10, ("e",): 4, ("h", "e"): 2, ("x", "e"): 1})
    e = (4 * 0.8 + 2 * 0.5) / 6
    assert smooth(means, counts, 2.0, 2) == {
        (): 0.5,
        ("e",): pytest.approx(e),
        ("h", "e"): pytest.approx((2 * 0.2 + 2 * e) / 4),
    }


def test_pruning() -> None:
    """ "he" is like "e" and goes; "the" is compared with "e", its longest suffix that stays."""
    values = {(): 0.5, ("e",): 0.3, ("h", "e"): 0.305, ("t", "h", "e"): 0.33, ("a",): 0.505}
    assert prune(values, 0.02) == {(): 500, ("e",): 300, ("t", "h", "e"): 330}


def test_mean_is_over_contexts_of_full_length() -> None:
    counts = Counter({(): 9, ("e",): 4, ("a",): 3})
    assert mean_of({(): 500, ("e",): 300}, counts, 1) == round((4 * 300 + 3 * 500) / 7)


def test_gini_is_unbiased() -> None:
    assert unbiased_gini([1]) == 1.0
    assert unbiased_gini([4]) == 0.0
    assert unbiased_gini([1, 1]) == 1.0
    assert unbiased_gini([2, 2]) == pytest.approx(1 - 4 / 12)
