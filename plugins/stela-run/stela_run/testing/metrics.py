"""What every metric is held to: the same sample gives the same finite values, each with a name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from stela_core import StelaError
from stela_run.metric import Metric, Sample, Value
from stela_run.testing.preflights import check_preflight, one_line


class MetricContract:
    """Subclass in your tests, with a fixture ``metric``, and one of any scope, ``sample``, that it measures.

    :func:`stela_run.testing.make_sample` makes a real one.
    """

    needs_texts: ClassVar[bool] = True
    """Whether a sample without texts is refused; if not, it has values of what is left."""

    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> Metric[Any]:
        """The metric under test."""
        raise NotImplementedError("override the fixture metric")

    def test_values(self, metric: Metric[Any], sample: Sample) -> None:
        """Values are finite, in their intervals, and each has another name in one word."""
        values = metric.measure(sample)
        assert values
        assert len({value.name for value in values}) == len(values)
        for value in values:
            well_formed(value)

    def test_same_sample_same_values(self, metric: Metric[Any], sample: Sample) -> None:
        """The same sample gives the same values, by another object too; the sample is not changed."""
        before = texts_of(sample)
        first = metric.measure(sample)
        assert metric.measure(sample) == first
        assert type(metric)(metric.parameters).measure(sample) == first
        assert texts_of(sample) == before

    def test_nothing_to_measure(self, metric: Metric[Any], sample: Sample) -> None:
        """No texts: refused in one line, and no value that is not a number."""
        nothing = replace(sample, marked=[], model_text=[], human=[])
        if self.needs_texts:
            with pytest.raises(StelaError) as caught:
                metric.measure(nothing)
            one_line(caught.value)
        else:
            for value in metric.measure(nothing):
                well_formed(value)

    def test_one_text_of_each_kind(self, metric: Metric[Any], sample: Sample) -> None:
        """Values, though without intervals, or an error of one line."""
        one = replace(
            sample, marked=sample.marked[:1], model_text=sample.model_text[:1], human=sample.human[:1]
        )
        try:
            values = metric.measure(one)
        except StelaError as error:
            one_line(error)
        else:
            for value in values:
                well_formed(value)

    def test_what_is_missing_is_found_before_a_run(self, metric: Metric[Any]) -> None:
        """``check`` asks the preflight, and lets its error through."""
        check_preflight(metric)


def well_formed(value: Value) -> None:
    """Assert that a value can be written down, and shown."""
    assert value.name
    assert value.name.isprintable()
    assert not any(character.isspace() for character in value.name)
    assert math.isfinite(value.value)
    assert (value.low is None) == (value.high is None)
    if value.low is not None and value.high is not None:
        assert math.isfinite(value.low)
        assert math.isfinite(value.high)
        assert value.low <= value.value <= value.high
    assert value.n is None or value.n >= 0
    assert value.each is None or all(map(math.isfinite, value.each))


def texts_of(sample: Sample) -> tuple[list[object], list[object]]:
    """What a metric must leave as it was: of marked texts, and of those without a mark."""
    marked: list[object] = [
        (one.text, one.generated.text, [*one.generated.token_ids], one.detection.p_value)
        for one in sample.marked
    ]
    unmarked: list[object] = [
        (one.prompt, one.text, [detection.p_value for detection in one.detections])
        for one in (*sample.model_text, *sample.human)
    ]
    return marked, unmarked
