"""The bootstrap against SciPy's: the same draws, so the same ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap
from stela_run.statistics import bootstrap as module
from stela_run.statistics.bootstrap import counts_of, drawn_counts, drawn_means, draws, ends, mean_ends


@pytest.mark.parametrize("count", [2, 17, 200])
def test_mean_is_scipys(count: int) -> None:
    values = np.random.default_rng(0).normal(size=count)
    expected = bootstrap(
        (values,), np.mean, n_resamples=500, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    assert mean_ends(values, 500, 7) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_two_samples_in_batches_are_scipys() -> None:
    """The last batch is smaller."""
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=30), rng.normal(size=12)

    def difference(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return a.mean(axis) - b.mean(axis)

    expected = bootstrap(
        (one, other), difference, n_resamples=220, batch=50, vectorized=True, axis=-1,
        confidence_level=0.9, method="percentile", rng=np.random.default_rng(3),
    ).confidence_interval  # fmt: skip
    drawn = list(draws((30, 12), 220, 3, batch=50))
    assert [len(rows) for rows, _ in drawn] == [50, 50, 50, 50, 20]
    found = np.concatenate([difference(one[a], other[b]) for a, b in drawn])
    assert ends(found, 0.9) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_resamples_without_a_value_are_left_out() -> None:
    values = np.array([1.0, np.nan, 2.0, np.inf, 3.0])
    assert ends(values, 0.5) == (1.5, 2.5)
    assert ends(np.array([np.nan])) is None


def test_counts() -> None:
    drawn = np.array([[0, 0, 2], [1, 1, 1]])
    assert counts_of(drawn, 4).tolist() == [[2, 0, 1, 0], [0, 3, 0, 0]]


def test_counts_without_draws_have_the_same_distribution() -> None:
    """Each resample draws as many as there are; variance of a count is 1 - 1 / n."""
    counts = drawn_counts(20, 4_000, 0)
    assert (counts.sum(axis=1) == 20).all()
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.06)
    assert counts.var(axis=0) == pytest.approx(0.95, abs=0.1)


@pytest.mark.parametrize("count", [2, 17, 200])
def test_what_is_drawn_does_not_depend_on_memory(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows at once bound memory: the last ones are fewer, and none is drawn otherwise."""
    values = np.random.default_rng(0).normal(size=count)
    at_once = mean_ends(values, 500, 7), drawn_means(values, 500, 7)
    assert at_once[1] == pytest.approx(drawn_counts(count, 500, 7) @ values / count, rel=1e-12)
    monkeypatch.setattr(module, "AT_ONCE", 3 * count + 1)
    assert mean_ends(values, 500, 7) == at_once[0]
    assert drawn_means(values, 500, 7) == pytest.approx(at_once[1], rel=1e-12)
