from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import stela_run
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score
from stela_metrics.roc import Roc, RocParameters
from stela_run.testing import MetricContract

import stela_core as stela
from stela_core.api import parse_parameters


def sample_of(
    marked: Sequence[float], human: Sequence[Sequence[float]], model: Sequence[Sequence[float]] = ()
) -> Any:
    """A sample of which only p-values are looked at."""
    return SimpleNamespace(
        length=200,
        seed=1,
        marked=[SimpleNamespace(detection=SimpleNamespace(p_value=p)) for p in marked],
        human=[SimpleNamespace(detections=[SimpleNamespace(p_value=p) for p in row]) for row in human],
        model_text=[SimpleNamespace(detections=[SimpleNamespace(p_value=p) for p in row]) for row in model],
    )


def measured(sample: Any, **parameters: Any) -> dict[str, stela_run.Value]:
    return {value.name: value for value in Roc(RocParameters(**parameters)).measure(sample)}


def test_registered(registry: stela.Registry) -> None:
    assert registry.get(stela_run.Metric, "roc") is Roc


@pytest.mark.slow
def test_real_sample(sample: stela_run.Sample) -> None:
    values = measured(sample)
    # 8 texts under 3 keys are 24 detections: enough for a rate of 5 %, not for 1 %.
    assert list(values) == [
        *("tpr@0.05:human", "auc:human", "f1:human", "tpr@0.05:model", "auc:model", "f1:model"),
        *("tpr@p<=0.05", "tpr@p<=0.01", "tpr@p<=0.001"),
    ]
    marked = [-one.detection.p_value for one in sample.marked]
    human = [-d.p_value for one in sample.human for d in one.detections]
    truth = np.repeat([1, 0], [8, 24])
    assert values["auc:human"].value == pytest.approx(roc_auc_score(truth, marked + human))
    assert values["tpr@p<=0.01"].value == np.mean([p >= -0.01 for p in marked])
    for value in values.values():
        assert value.low is not None
        assert value.high is not None
        assert 0 <= value.low <= value.value <= value.high <= 1
        assert value.n == 8


@pytest.mark.slow
class TestContract(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> stela_run.Metric:
        return Roc(RocParameters())


def test_rates_that_negatives_cannot_tell_are_left_out() -> None:
    p_values = np.linspace(0.01, 1, 99).reshape(33, 3).tolist()
    assert "tpr@0.01:human" not in measured(sample_of([0.5, 0.2], p_values))
    assert "tpr@0.01:human" in measured(sample_of([0.5, 0.2], [*p_values, [0.3]]))
    values = measured(sample_of([0.5, 0.2], []))
    assert list(values) == ["tpr@p<=0.05", "tpr@p<=0.01", "tpr@p<=0.001"]


def test_negatives_are_apart() -> None:
    values = measured(sample_of([1e-9] * 4, [[0.5]] * 40, [[1e-12]] * 40))
    assert values["auc:human"].value == 1
    assert values["auc:model"].value == 0
    assert values["tpr@0.05:model"].value == 0


def test_a_share_of_all_has_the_exact_interval() -> None:
    """Ten of ten: the resamples agree on 1; SciPy's exact interval does not."""
    values = measured(sample_of([1e-9] * 10, [[0.5], [0.4]] * 10))
    exact = binomtest(10, 10).proportion_ci(0.95, "exact")
    for name in ("tpr@0.05:human", "tpr@p<=0.01"):
        assert values[name].value == values[name].high == 1
        assert values[name].low == pytest.approx(exact.low)
    none = measured(sample_of([0.9] * 10, [[0.5], [0.4]] * 10))["tpr@p<=0.05"]
    assert none[1:4] == (0, 0, pytest.approx(binomtest(0, 10).proportion_ci(0.95, "exact").high))


def test_interval_of_a_share_is_about_the_normal_one() -> None:
    """300 texts of which 60 % are found: 1.96 standard errors are 0.0554; the bootstrap's own noise, 10 %."""
    estimate = measured(sample_of([1e-5] * 180 + [0.5] * 120, [[0.5]]))["tpr@p<=0.01"]
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.value - estimate.low == pytest.approx(0.0554, rel=0.15)
    assert estimate.high - estimate.value == pytest.approx(0.0554, rel=0.15)


def test_alike_distributions_are_at_chance() -> None:
    """Of 40 samples without any mark, the 95 % interval of the AUC holds 1/2 in all but a few.

    At 95 % cover, more than 6 of 40 outside has probability 0.003; the seed is fixed.
    """
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(40):
        estimate = measured(sample_of(rng.random(60), rng.random((60, 2))), resamples=300)["auc:human"]
        assert estimate.low is not None
        assert estimate.high is not None
        outside += not estimate.low <= 0.5 <= estimate.high
    assert outside <= 6


def test_keys_of_a_text_are_not_independent_texts() -> None:
    """Ten keys that say the same of a text tell no more than one key: the same interval."""
    rng = np.random.default_rng(3)
    marked, human = rng.beta(0.5, 2, 50), rng.random((50, 1))
    once = measured(sample_of(marked, human))["auc:human"]
    tenfold = measured(sample_of(marked, np.repeat(human, 10, axis=1)))["auc:human"]
    assert tenfold[1:] == pytest.approx(once[1:])


def test_one_text_has_no_interval() -> None:
    values = measured(sample_of([1e-4], [[0.5] * 20]))
    assert values["tpr@0.05:human"] == stela_run.Value("tpr@0.05:human", 1.0, n=1)


def test_smallest_p_values_are_scores() -> None:
    values = measured(sample_of([5e-324, 1e-300], [[0.5]] * 20))
    assert values["auc:human"].value == 1


def test_mistakes() -> None:
    with pytest.raises(stela.StelaError, match="no marked text has 200 tokens"):
        measured(sample_of([], [[0.5]]))
    with pytest.raises(stela.StelaError, match=r"metric \"roc\": rates"):
        parse_parameters(RocParameters, {"rates": [0.0]}, 'metric "roc"')
