from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import stela_run
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_metrics.quality import (
    Diversity,
    Perplexity,
    PerplexityParameters,
    Repetition,
    Samples,
    SamplesParameters,
)
from stela_metrics.quality.ngrams import distinct, diversity, log_diversity, repetition, units_of
from stela_run.testing import MetricContract

import stela_core as stela

words = st.lists(st.sampled_from("abcde"), min_size=4, max_size=30)


def test_hand_worked() -> None:
    """``a b a b a``: ab ba ab ba, aba bab aba, abab baba."""
    units = units_of("a b a  b\na", "en")
    assert units == ["a", "b", "a", "b", "a"]
    assert repetition(units, 2) == 1 / 2
    assert repetition(units, 3) == pytest.approx(1 / 3)
    assert repetition(units, 4) == 0
    assert diversity(units) == pytest.approx(1 / 2 * 2 / 3)
    assert log_diversity(units) == pytest.approx(math.log(3 / 2))
    assert distinct([units, ["a", "b", "c"]], 1) == pytest.approx(3 / 8)
    assert distinct([units, ["a", "b", "c"]], 2) == pytest.approx(3 / 6)


def test_units_are_characters_where_words_are_not_spaced() -> None:
    assert units_of("你好，\n世 界", "zh") == list("你好，世界")
    assert units_of("你好，\n世 界", "zh-Hant") == list("你好，世界")
    assert units_of("안녕 세계", "ko") == ["안녕", "세계"]


def test_nothing_repeated_has_the_largest_log_diversity() -> None:
    assert log_diversity(list("abcdefgh")) == pytest.approx(20)


@settings(deadline=None)
@given(words, st.integers(1, 4))
def test_agrees_with_the_counts_of_scikit_learn(units: list[str], n: int) -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    counter = text.CountVectorizer(ngram_range=(n, n), token_pattern=r"\S+", lowercase=False)
    counts = counter.fit_transform([" ".join(units)])
    assert repetition(units, n) == pytest.approx(1 - counts.shape[1] / counts.sum())
    assert distinct([units], n) == pytest.approx(counts.shape[1] / counts.sum())


@given(words)
def test_of_a_text_and_its_names(units: list[str]) -> None:
    """Renaming words changes nothing; longer n-grams repeat less often."""
    renamed = [unit * 3 for unit in units]
    assert diversity(renamed) == diversity(units)
    repeats = [repetition(units, n) * (len(units) - n + 1) for n in (2, 3, 4)]
    assert sorted(repeats, reverse=True) == pytest.approx(repeats)
    assert 0 < diversity(units) <= 1
    assert 0 < log_diversity(units) <= 20


@pytest.mark.slow
def test_metrics_of_a_real_sample(sample: stela_run.Sample) -> None:
    values = [*Diversity(stela.Parameters()).measure(sample), *Repetition(stela.Parameters()).measure(sample)]
    values_by_name = {value.name: value for value in values}
    assert len(values_by_name) == len(values) == 3 * (2 + 6)
    rows = [one.text.split() for one in sample.marked]
    bigrams = [list(pairwise(row)) for row in rows]
    expected = np.mean([1 - len(set(row)) / len(row) for row in bigrams])
    assert values_by_name["seq-rep-2"].value == pytest.approx(expected)
    together = [pair for row in bigrams for pair in row]
    assert values_by_name["distinct-2"] == stela_run.Value(
        "distinct-2", len(set(together)) / len(together), n=8
    )
    assert values_by_name["diversity:human"].value == 1
    for value in values:
        if value.low is not None and value.high is not None:
            assert value.low <= value.value <= value.high
        else:
            assert value.name.startswith("distinct")


@pytest.mark.slow
def test_repeated_text_is_less_diverse(sample: stela_run.Sample) -> None:
    marked = [replace(one, text=f"{one.text} {one.text}") for one in sample.marked]
    once = Diversity(stela.Parameters()).measure(sample)[0]
    twice = Diversity(stela.Parameters()).measure(replace(sample, marked=marked))[0]
    assert twice.value < 0.2 < once.value


@pytest.mark.slow
def test_too_short(sample: stela_run.Sample) -> None:
    marked = [replace(one, text="too short a") for one in sample.marked]
    for metric in (Diversity, Repetition):
        with pytest.raises(stela.StelaError, match="no marked text has 4 words"):
            metric(stela.Parameters()).measure(replace(sample, marked=marked))


@pytest.mark.slow
class TestContract(MetricContract):
    """Of all metrics of this plugin."""

    @pytest.fixture(
        scope="class",
        params=[
            Diversity(stela.Parameters()),
            Repetition(stela.Parameters()),
            Samples(SamplesParameters(samples=2, prompts=2)),
            Perplexity(PerplexityParameters(model="tiny-small")),
        ],
        ids=lambda metric: metric.name,
    )
    @classmethod
    def metric(cls, request: pytest.FixtureRequest) -> stela_run.Metric:
        return request.param
