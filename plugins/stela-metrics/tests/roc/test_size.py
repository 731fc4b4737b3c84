"""The number of tokens that a detector needs, against all lengths tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from stela_metrics.roc import Size, SizeParameters
from stela_metrics.roc.size import least, p_of_prefixes
from stela_run.testing import MetricContract, make_sample

import stela_core as stela


@pytest.mark.slow
class TestContract(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> Size:
        return Size(SizeParameters())


@pytest.fixture(scope="module", params=["kgw", "gumbel"])
def longer(
    registry: stela.Registry, gumbel: stela_run.Sample, request: pytest.FixtureRequest
) -> stela_run.Sample:
    if request.param == "gumbel":
        return gumbel
    return make_sample(registry, request.param, model="tiny-small", length=80)


@pytest.mark.slow
def test_whole_texts_have_the_p_values_of_their_detections(longer: stela_run.Sample) -> None:
    detections = [one.detection for one in longer.marked]
    p_values = p_of_prefixes(detections, longer.watermark.parts.scorer)(80)
    assert p_values == pytest.approx([one.p_value for one in detections])


@pytest.mark.slow
def test_beginnings_have_the_p_values_that_detection_gives_them(longer: stela_run.Sample) -> None:
    """Cut by ids, so that no tokenizer comes between."""
    evidences = [one.detection.evidence for one in longer.marked]
    p_values = p_of_prefixes([one.detection for one in longer.marked], longer.watermark.parts.scorer)(30)
    for evidence, p in zip(evidences, p_values, strict=True):
        [cut] = longer.watermark.detector.evidence([list(evidence.ids[:30])])
        assert longer.watermark.parts.scorer.score_signals(cut.signals).p_value == pytest.approx(p)


@pytest.mark.slow
def test_it_is_the_least_of_all_lengths(longer: stela_run.Sample) -> None:
    [value] = Size(SizeParameters(levels=(0.02,))).measure(longer)
    p_values = p_of_prefixes([one.detection for one in longer.marked], longer.watermark.parts.scorer)
    shares = [(p_values(tokens) <= 0.02).mean() for tokens in range(81)]
    assert shares[int(value.value)] >= 0.5
    assert value.low is not None
    assert value.high is not None
    assert value.low <= value.value <= value.high
    if np.all(np.diff(shares) >= 0):
        assert value.value == next(n for n, share in enumerate(shares) if share >= 0.5)
    assert 1 < value.value < 80


@given(st.lists(st.integers(1, 60), min_size=1, max_size=9), st.floats(0.1, 0.9))
def test_bisection_finds_it_where_texts_stay_found(needed: list[int], share: float) -> None:
    """Text i is found from needed[i] tokens on."""

    def p_values(tokens: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.where(tokens >= np.array(needed), 0.001, 0.5)

    size = least(p_values, np.arange(len(needed)), 0.01, share, 60)
    tried = [n for n in range(1, 61) if np.mean(np.array(needed) <= n) >= share]
    assert size == tried[0]
    assert least(p_values, np.arange(len(needed)), 0.01, share, min(needed) - 1 or 1) in (None, 1)


@pytest.mark.slow
def test_unmarked_text_has_none(sample: stela_run.Sample) -> None:
    assert Size(SizeParameters(levels=(1e-30,))).measure(sample) == []
