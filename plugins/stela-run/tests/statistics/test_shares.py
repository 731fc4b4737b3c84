"""Clopper-Pearson by the binomial distribution, against SciPy's beta distribution."""

from __future__ import annotations

import pytest
from scipy import stats
from stela_run.statistics.shares import clopper_pearson, widened


@pytest.mark.parametrize(
    ("hits", "count"), [(0, 1), (1, 1), (0, 300), (3, 300), (150, 300), (299, 300), (300, 300), (7, 9000)]
)
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.9995])
def test_ends_are_quantiles_of_beta(hits: int, count: int, confidence: float) -> None:
    low, high = clopper_pearson(hits, count, confidence)
    tail = (1 - confidence) / 2
    assert low == pytest.approx(0 if hits == 0 else stats.beta.ppf(tail, hits, count - hits + 1), abs=1e-9)
    assert high == pytest.approx(
        1 if hits == count else stats.beta.ppf(1 - tail, hits + 1, count - hits), abs=1e-9
    )


def test_three_in_a_thousand_without_a_hit() -> None:
    """The rule of three: 0 of n leaves about 3 / n at one-sided 95 %."""
    assert clopper_pearson(0, 1000, 0.9)[1] == pytest.approx(1 - 0.05 ** (1 / 1000), abs=1e-9)


def test_a_share_of_all_or_none_is_widened() -> None:
    assert widened(0.5, 0.4, 0.6, 20) == (0.4, 0.6)
    assert widened(1.0, 1.0, 1.0, 20) == (clopper_pearson(20, 20)[0], 1.0)
    assert widened(0.0, 0.0, 0.0, 20) == (0.0, clopper_pearson(0, 20)[1])
