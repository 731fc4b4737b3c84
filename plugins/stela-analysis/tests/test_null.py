"""The empirical null against SciPy, hand-worked counts and real texts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import stela_run
from scipy.stats import kstest, norm
from stela_analysis import Null
from stela_analysis.null import tests_of as flatten
from stela_analysis.null import values_of

import stela_core as stela


def rows(z: list[list[float]], p: list[list[float]]) -> Any:
    return [
        SimpleNamespace(
            detections=[SimpleNamespace(z=a, z_plain=2 * a, p_value=b) for a, b in zip(*pair, strict=True)]
        )
        for pair in zip(z, p, strict=True)
    ]


def by_name(listed: Any) -> dict[str, stela_run.Value]:
    return {value.name: value for value in values_of("x", flatten(listed), 1)}


def test_hand_worked() -> None:
    """Three texts under two keys: p at most 0.1 in 3 of 6 tests, 0.05 in 2, 0.01 in one."""
    z = [[0.0, 1.0], [2.5, -1.0], [4.5, 2.0]]
    p = [[0.6, 0.1], [0.05, 0.9], [0.005, 0.2]]
    values_by_name = by_name(rows(z, p))
    shares = {
        level: values_by_name[f"null-fpr@{level}:x"].value for level in ("0.1", "0.05", "0.01", "0.001")
    }
    assert shares == pytest.approx({"0.1": 3 / 6, "0.05": 2 / 6, "0.01": 1 / 6, "0.001": 0})
    assert values_by_name["null-fpr-bootstrap@0.05:x"].value == shares["0.05"]
    # Plain z is twice z: 0, 2, 5, -2, 9, 4, and the quantile of 0.01 is 2.33.
    assert values_by_name["null-plain-fpr@0.01:x"].value == pytest.approx(3 / 6)
    assert values_by_name["null-z>4:x"].value == pytest.approx(1 / 6)
    assert values_by_name["null-z-plain>4:x"].value == pytest.approx(2 / 6)
    assert values_by_name["null-z-plain>4-ratio:x"].value == pytest.approx(2 / 6 / 3.167124183e-5)
    assert values_by_name["null-z-mean:x"].value == pytest.approx(1.5)
    assert values_by_name["null-z-sd:x"].value == pytest.approx(np.std([0, 1, 2.5, -1, 4.5, 2], ddof=1))
    assert {value.n for value in values_by_name.values()} == {3}


def test_distance_is_scipys() -> None:
    p = np.random.default_rng(2).uniform(size=(50, 3)) ** 2
    values_by_name = by_name(rows([[0.0] * 3] * 50, p.tolist()))
    assert values_by_name["null-ks:x"].value == pytest.approx(kstest(p.ravel(), "uniform").statistic)
    # Squares of uniform numbers: P(p <= a) = sqrt(a), most beyond a at a = 1/4.
    assert values_by_name["null-ks-excess:x"].value == pytest.approx(0.25, abs=0.1)


def test_claims_that_hold_and_that_break() -> None:
    """400 texts under 3 keys. A true null lies in the intervals, one of sd 1.2 does not."""
    rng = np.random.default_rng(0)
    true = rng.normal(size=(400, 3))
    good = by_name(rows(true.tolist(), norm.sf(true).tolist()))
    bad = by_name(rows((1.2 * true).tolist(), norm.sf(1.2 * true).tolist()))
    for name, expected in (
        ("null-fpr@0.05:x", 0.05),
        ("null-fpr@0.01:x", 0.01),
        ("null-z-sd:x", 1.0),
        ("null-z-mean:x", 0.0),
    ):
        low, high = good[name].low, good[name].high
        assert low is not None
        assert high is not None
        assert low <= expected <= high
    assert (bad["null-fpr@0.05:x"].low or 0) > 0.05
    assert (bad["null-z-sd:x"].low or 0) > 1.1
    assert bad["null-ks-excess:x"].value > good["null-ks-excess:x"].value


def test_no_false_alarm_leaves_a_bound() -> None:
    """0 of 100 tests: Clopper-Pearson's upper end, 1 - 0.025**(1/100); the bootstrap has none."""
    values_by_name = by_name(rows([[0.0] * 2] * 50, [[0.5] * 2] * 50))
    assert values_by_name["null-fpr@0.001:x"][1:4] == (0, 0, pytest.approx(1 - 0.025 ** (1 / 100)))
    assert values_by_name["null-fpr-bootstrap@0.001:x"][1:4] == (0, 0, 0)


@pytest.mark.slow
def test_real_sample(sample: stela_run.Sample) -> None:
    values_by_name = {value.name: value for value in Null(Null.Parameters()).measure(sample)}
    for kind, texts in (("human", sample.human), ("model", sample.model_text)):
        z = [one.z for row in texts for one in row.detections]
        assert len(z) == 24
        assert values_by_name[f"null-z-mean:{kind}"].value == pytest.approx(np.mean(z))
        assert values_by_name[f"null-z-sd:{kind}"].value == pytest.approx(np.std(z, ddof=1))
        assert values_by_name[f"null-fpr@0.001:{kind}"].value <= 1 / 24
    assert len(values_by_name) == 2 * (3 * 4 + 2 * 4 + 2)


@pytest.mark.slow
def test_one_kind_alone_and_none(sample: stela_run.Sample) -> None:
    values = Null(Null.Parameters()).measure(replace(sample, human=[]))
    assert values
    assert all(value.name.endswith(":model") for value in values)
    with pytest.raises(stela.StelaError, match="no unmarked text"):
        Null(Null.Parameters()).measure(replace(sample, human=[], model_text=[]))
