"""MAUVE: its authors' figures, what it is 1 and 0 for, and the metric on a real sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import stela_run
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_metrics.reference import Mauve, MauveParameters
from stela_metrics.reference.mauve import features
from stela_metrics.reference.mauve_score import clusters_of, mauve_of_counts
from stela_run.testing import MetricContract, make_sample

import stela_core as stela


def blobs(seed: int, weights: list[float], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Features around four points, and which point each is at."""
    random = np.random.default_rng(seed)
    at = random.choice(4, n, p=weights)
    return np.eye(4, 16)[at] * 10 + random.normal(size=(n, 16)) * 0.01, at


def test_counts_give_its_authors_figure() -> None:
    """``mauve_star`` of mauve-text 0.4.0 (with faiss-cpu 1.15.1), for these 200 and 150 points, 4 buckets."""
    one, other = blobs(1, [0.4, 0.3, 0.2, 0.1], 200)[1], blobs(2, [0.1, 0.2, 0.3, 0.4], 150)[1]
    counts = np.bincount(one), np.bincount(other)
    assert [part.tolist() for part in counts] == [[80, 59, 43, 18], [17, 31, 41, 61]]
    assert mauve_of_counts(*counts) == pytest.approx(0.6791697304227289, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=30))
def test_it_is_symmetric_and_at_most_1(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(part, dtype=np.int64) for part in zip(*pairs, strict=True))
    value = mauve_of_counts(one, other)
    assert 0 < value <= 1 + 1e-9
    assert mauve_of_counts(other, one) == pytest.approx(value, rel=1e-6)
    assert mauve_of_counts(one, one) == pytest.approx(1)


def test_clusters_are_those_that_are_there() -> None:
    """Far points are in different clusters, of a tenth as many as there are texts."""
    one, at = blobs(1, [0.25] * 4, 60)
    other, _ = blobs(2, [0.25] * 4, 41)
    labels, others = clusters_of(one, other)
    assert (len(labels), len(others)) == (60, 41)
    assert set(labels) | set(others) <= set(range(4))
    assert len({(int(a), int(b)) for a, b in zip(at, labels, strict=True)}) == 4


def test_other_texts_are_far() -> None:
    one, _ = blobs(1, [0.5, 0.5, 0, 0], 200)
    other, _ = blobs(2, [0, 0, 0.5, 0.5], 200)
    same, _ = blobs(3, [0.5, 0.5, 0, 0], 200)

    def value(a: np.ndarray, b: np.ndarray) -> float:
        parts = clusters_of(a, b)
        k = int(max(part.max() for part in parts)) + 1
        return mauve_of_counts(*(np.bincount(part, minlength=k) for part in parts))

    assert value(one, other) < 0.1
    assert value(one, same) > 0.9


@pytest.mark.slow
def test_features_are_the_last_state(sample: stela_run.Sample) -> None:
    model = sample.models.load("tiny")
    text = sample.human[0].text
    [row, empty] = features(model, [text, ""])
    ids = torch.tensor([model.tokenizer(text, add_special_tokens=False)["input_ids"]])
    with torch.inference_mode():
        expected = model.model.model(ids).last_hidden_state[0, -1]
    assert row == pytest.approx(expected.numpy(), abs=1e-5)
    assert not empty.any()


@pytest.fixture(scope="module")
def many(registry: stela.Registry) -> stela_run.Sample:
    """Each text three times."""
    sample = make_sample(registry)
    human, unmarked = list(sample.human) * 3, list(sample.model_text) * 3
    return replace(sample, marked=list(sample.marked) * 3, human=human, model_text=unmarked)


@pytest.fixture(scope="module")
def metric() -> stela_run.Metric:
    return Mauve(MauveParameters(model="tiny-small"))


@pytest.mark.slow
def test_a_run_gets_two_values(many: stela_run.Sample, metric: stela_run.Metric) -> None:
    one, other = metric.measure(many)
    assert (one.name, other.name) == ("mauve", "mauve:unmarked")
    for value in (one, other):
        assert value.low is not None
        assert value.high is not None
        assert 0 < value.low <= value.high <= 1 + 1e-9
        assert value.n == 24
    [same, _] = metric.measure(
        replace(many, human=[replace(many.human[0], text=m.text) for m in many.marked])
    )
    assert same.value == pytest.approx(1)


def test_few_texts_are_refused(sample: stela_run.Sample, metric: stela_run.Metric) -> None:
    with pytest.raises(stela.StelaError, match="20 and more texts of a kind; here are 8 marked and 8 human"):
        metric.measure(sample)


class TestMauve(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> stela_run.Metric:
        return Mauve(MauveParameters(model="tiny-small"))

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls, many: stela_run.Sample) -> stela_run.Sample:
        return many
