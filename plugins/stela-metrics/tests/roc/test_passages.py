"""Passages in long documents: the places are right, and WaterSeeker's search is its authors' program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from math import ceil, sqrt
from pathlib import Path

import numpy as np
import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from stela_metrics.roc import Passages, PassagesParameters, PassagesSeconds
from stela_metrics.roc.hiding import Hiding
from stela_metrics.roc.overlap import Counts, overlap
from stela_metrics.roc.passages import by_seeker, by_windows, detected, looks_of, tokens_of
from stela_metrics.roc.seeker import SHORTEST, WINDOW, seek, suspicious, z_above
from stela_run.cells.marks import Marks
from stela_run.plan.plan import GenerateCell
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.testing import MetricContract, make_sample

import stela_core as stela

SMALL = PassagesParameters(shortest=40, longest=60, tokens=150)


@pytest.mark.slow
class TestContract(MetricContract):
    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls) -> Passages:
        return Passages(SMALL)


@pytest.fixture(scope="module")
def strong(registry: stela.Registry) -> stela_run.Sample:
    return make_sample(registry, "kgw", model="tiny-small", length=120, delta=6.0)


def literally(green: Sequence[bool], gamma: float, level: float) -> list[tuple[int, int, float]]:
    """The authors' loops, one after the other."""
    before = [0, *accumulate(green)]
    shares = [(before[n + 50] - before[n]) / 50 for n in range(len(green) - 49)]
    if not shares:
        return []
    mean = float(np.mean(shares))
    top = float(np.mean(sorted(shares, reverse=True)[:20]))
    runs: list[list[int]] = []
    for n, share in enumerate(shares):
        if share > mean + (top - mean) * 0.5:
            if runs and n - runs[-1][-1] <= 100:
                runs[-1].append(n)
            else:
                runs.append([n])
    named = []
    for run in runs:
        begin, stop = run[0], run[-1] + 49
        best: tuple[int, int, float] | None = None
        if stop - begin < 100:
            continue
        for start in range(begin, begin + 50):
            for end in range(stop, stop - 50, -1):
                size = end - start
                if size < 100:
                    break
                z = (before[end] - before[start] - gamma * size) / sqrt(size * gamma * (1 - gamma))
                if z > threshold(size, gamma, level) and (best is None or z > best[2]):
                    best = (start, end, z)
        if best is not None:
            named.append(best)
    return named


@cache
def threshold(size: int, gamma: float, level: float) -> float:
    """Theirs: z* goes up until so many green tokens are rare enough, or from 200 tokens on the normal one."""
    if size >= 200:
        return float(norm.ppf(1 - level))
    spread = sqrt(size * gamma * (1 - gamma))
    counts = range(ceil(gamma * size), size + 1)
    count = next(count for count in counts if binom.sf(count - 1, size, gamma) <= level)
    return float((count - 1 - gamma * size) / spread)


@given(st.integers(0, 2**32), st.sampled_from([0.25, 0.5]), st.sampled_from([1e-6, 0.01]))
def test_the_search_is_the_authors(seed: int, gamma: float, level: float) -> None:
    draws = np.random.default_rng(seed)
    count, begin, size = int(draws.integers(0, 700)), int(draws.integers(0, 500)), int(draws.integers(0, 300))
    chance = np.full(count, gamma)
    chance[begin : begin + size] = draws.choice([0.6, 0.8, 0.95])
    green = draws.random(count) < chance
    named = [(one.start, one.end, one.z) for one in seek(green, gamma, level)]
    slow = literally(green.tolist(), gamma, level)
    assert [one[:2] for one in named] == [one[:2] for one in slow]
    assert [one[2] for one in named] == pytest.approx([one[2] for one in slow])


def test_thresholds_are_those_that_the_authors_ship() -> None:
    """Of their table for 1e-6, whose z go up by 0.01: the next green token decides alike."""
    for size, theirs in ((20, 4.03), (21, 4.15), (24, 4.50)):
        own = size / 2 + z_above(size, 0.5, 1e-6) * sqrt(size) / 2
        assert own == pytest.approx(round(own))
        assert own <= size / 2 + theirs * sqrt(size) / 2 < own + 1


def test_its_level_is_no_false_alarm_rate() -> None:
    """Segments are picked by their colours: far more unmarked texts than one in a hundred have one."""
    draws = np.random.default_rng(0)
    texts = [draws.random(3_000) < 0.5 for _ in range(60)]
    assert sum(bool(seek(green, 0.5, 0.01)) for green in texts) > 20


def test_short_texts_have_no_suspicious_part() -> None:
    assert suspicious(np.ones(WINDOW - 1, dtype=bool)) == []
    assert seek(np.ones(SHORTEST - 1, dtype=bool), 0.5, 0.01) == []


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=4), st.integers(0, 60))
def test_overlap_against_sets(gaps: list[tuple[int, int]], start: int) -> None:
    named, at = [], 0
    for gap, size in gaps:
        named.append((at + gap, at + gap + size))
        at += gap + size
    here = {n for begin, end in named for n in range(begin, end)}
    there = set(range(start, start + 15))
    assert overlap(named, (start, start + 15)) == len(here & there) / len(here | there)


def test_rates_and_their_intervals() -> None:
    counts = Counts(right=30, hidden=40, false=0, plain=40)
    precision = counts.precision()
    assert precision is not None
    assert precision.value == 1.0 > precision.low
    assert counts.f1().value == pytest.approx(2 * 0.75 / 1.75)
    assert counts.f1().low < 0.75 < counts.f1().value < counts.f1().high
    assert counts.recall().value == 0.75
    assert Counts(0, 40, 0, 40).precision() is None
    assert Counts(30, 40, 30, 40).precision() == pytest.approx((0.5, 0.36, 0.64), abs=0.03)


@given(st.integers(0, 40), st.integers(0, 30))
def test_f1_is_that_of_equally_many(right: int, false: int) -> None:
    """Against its definition by counts, as the authors work it out."""
    f1 = Counts(right, 40, false, 40).f1()
    assert f1.value == pytest.approx(2 * right / (2 * right + false + 40 - right))
    assert f1.low <= f1.value <= f1.high


@pytest.mark.slow
def test_the_passage_is_where_it_is_said(strong: stela_run.Sample) -> None:
    human = [one.text for one in strong.human]
    hiding = Hiding(strong.watermark, human, tokens=150, shortest=40, longest=60, seed=3)
    places = set()
    for number, one in enumerate(strong.marked):
        document = hiding.with_passage(one.text, number)
        passage = document.text[document.start : document.end]
        assert passage
        assert passage in one.text
        without = document.text[: document.start] + document.text[document.end :].removeprefix(" ")
        assert all(line in "\n".join(human) for line in without.split("\n"))
        ids = strong.watermark.detector.ids_of([passage])[0]
        assert 38 <= len(ids) <= 62
        start, end = tokens_of(document, detected(strong.watermark, document.text, 1).evidence)
        assert abs(end - start - len(ids)) <= 2
        assert hiding.with_passage(one.text, number) == document
        places.add(document.start)
        plain = hiding.without(number)
        assert plain.start == plain.end == 0
        assert all(line in "\n".join(human) for line in plain.text.split("\n"))
    assert len(places) > 1


@pytest.mark.slow
def test_strong_passages_are_found(strong: stela_run.Sample) -> None:
    parameters = PassagesParameters(shortest=110, longest=110, tokens=300)
    for look in looks_of(strong, parameters, 4):
        for naming in (by_windows, by_seeker):
            named = naming(strong.watermark, look.hidden, 1e-4)
            assert overlap(named, look.place) > 0.5
        assert by_windows(strong.watermark, look.plain, 1e-4) == []
    values = {value.name: value for value in Passages(parameters).measure(strong)}
    assert values["recall@1e-06:windows"].value == values["f1@1e-06:windows"].value == 1.0
    assert values["false-alarms@1e-06:windows"].value == 0.0
    assert values["iou@1e-06:seeker"].value > 0.5
    times = PassagesSeconds(parameters).measure(strong)
    assert [value.name for value in times] == ["cpu-seconds:windows", "cpu-seconds:seeker"]
    assert all(value.value > 0 for value in times)


@pytest.mark.slow
def test_what_cannot_be_looked_through_is_refused(registry: stela.Registry, gumbel: stela_run.Sample) -> None:
    names = {value.name for value in Passages(SMALL).measure(gumbel)}
    assert "f1@1e-06:windows" in names
    assert not any(name.endswith(":seeker") for name in names)
    cell = GenerateCell("tiny-small", "en", 0, SchemeEntry(name="kgw", bits=4), TagSet(tagger="none"), id="")
    carrying = Marks(registry, Path()).watermark(cell)
    with pytest.raises(stela.StelaError, match="carries a message"):
        Passages(SMALL).measure(replace(gumbel, watermark=carrying))
    with pytest.raises(ValueError, match="shortest"):
        PassagesParameters(shortest=5, longest=4)
