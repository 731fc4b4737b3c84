"""Laws and p-values against brute force, on small cases."""

from __future__ import annotations

from itertools import permutations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_audit.cache import changed
from stela_audit.occupancy import few_distinct
from stela_audit.red_green import Answers, moved
from stela_audit.tilted import tilted_tables

import stela_core as stela
from tests.tiers import Draws


@given(draws=st.integers(1, 6), cells=st.integers(2, 4), data=st.data())
def test_few_distinct_counts_all_outcomes(draws: int, cells: int, data: st.DataObject) -> None:
    distinct = data.draw(st.integers(1, draws))
    outcomes = [len(set(values)) for values in product(range(cells), repeat=draws)]
    expected = sum(one <= distinct for one in outcomes) / len(outcomes)
    assert few_distinct(draws, distinct, cells) == pytest.approx(expected)


@given(cells=st.integers(2, 4), draws=st.integers(1, 5), weights=st.lists(st.floats(0.01, 1), min_size=6))
def test_no_law_within_the_cap_repeats_more(cells: int, draws: int, weights: list[float]) -> None:
    law = np.array(weights[:7]) / sum(weights[:7])
    if law.max() > 1 / cells:
        # The rest goes to as many values more as it takes.
        law = np.minimum(law, 1 / cells)
        law = np.append(law, np.full(cells, (1 - law.sum()) / cells))
    chances = np.zeros(draws + 1)
    sets = {frozenset[int](): 1.0}
    for _ in range(draws):
        new: dict[frozenset[int], float] = {}
        for seen, chance in sets.items():
            for value, one in enumerate(law):
                both = seen | {value}
                new[both] = new.get(both, 0.0) + chance * one
        sets = new
    for seen, chance in sets.items():
        chances[len(seen)] += chance
    for distinct in range(1, draws + 1):
        assert chances[: distinct + 1].sum() <= few_distinct(draws, distinct, cells) + 1e-9


def test_a_keyed_choice_repeats_and_is_seen() -> None:
    assert few_distinct(3, 1, 1_000_000) == pytest.approx(1e-12)
    assert few_distinct(300, 300, 1_000_000) == 1.0


@given(sizes=st.tuples(st.integers(1, 8), st.integers(1, 8)), data=st.data())
def test_changed_is_fishers_exact_test(sizes: tuple[int, int], data: st.DataObject) -> None:
    hits = [data.draw(st.integers(0, size)) for size in sizes]
    sides = [["a"] * hit + ["b"] * (size - hit) for hit, size in zip(hits, sizes, strict=True)]
    total = sum(hits)
    ways = {
        x: comb(sizes[0], x) * comb(sizes[1], total - x)
        for x in range(max(0, total - sizes[1]), min(sizes[0], total) + 1)
    }
    expected = sum(way for way in ways.values() if way <= ways[hits[0]]) / sum(ways.values())
    assert changed(*sides) == pytest.approx(expected)


@given(
    counts=st.lists(st.integers(0, 4), min_size=2, max_size=3),
    tilts=st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    data=st.data(),
)
def test_tables_have_the_noncentral_law(counts: list[int], tilts: list[float], data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, sum(counts)))
    theta = np.array(tilts[: len(counts)])
    weights = {
        table: prod(map(comb, counts, table)) * float(np.exp(theta @ np.array(table)))
        for table in product(*(range(count + 1) for count in counts))
        if sum(table) == hits
    }
    draws = 4000
    tables = tilted_tables(np.array(counts), hits, np.tile(theta, (draws, 1)), np.random.default_rng(1))
    assert (tables.sum(axis=1) == hits).all()
    for table, weight in weights.items():
        chance = weight / sum(weights.values())
        share = (tables == table).all(axis=1).mean()
        assert abs(share - chance) <= 6 * np.sqrt(chance * (1 - chance) / draws) + 1e-3


def test_without_tolerance_it_is_a_permutation_test() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2, 2])
    hits = np.array([True, True, False, False, True, False, False])
    variance = np.bincount(labels) * (3 / 7) * (4 / 7) * (7 - np.bincount(labels)) / 6

    def statistic(some: np.ndarray) -> float:
        excess = np.bincount(labels, weights=some) - np.bincount(labels) * 3 / 7
        return float((excess**2 / variance).sum())

    all_of_them = [statistic(np.array(one)) for one in permutations(hits)]
    expected = np.mean([one >= statistic(hits) - 1e-9 for one in all_of_them])
    answers = Answers(np.zeros(7, dtype=np.int64), labels, hits)
    assert moved(answers, 0.0, np.random.default_rng(0), 20_000) == pytest.approx(expected, abs=0.015)


def test_p_values_hold_where_a_plain_model_moves_as_much_as_tolerated(draws: Draws) -> None:
    random = np.random.default_rng(5)
    p_values = []
    for _ in range(draws(300, 60)):
        tilts = random.normal(0, 0.3, 10)
        strata, labels = np.repeat(np.arange(5), 100), random.integers(0, 10, 500)
        base = random.normal(0, 1, 5)
        hits = random.random(500) < 1 / (1 + np.exp(-base[strata] - tilts[labels]))
        p_values.append(moved(Answers(strata, labels, hits), 0.3, random, 199))
    for level in (0.01, 0.05, 0.2):
        least = level + 3 * np.sqrt(level * (1 - level) / len(p_values))
        assert np.mean(np.array(p_values) <= level) <= least


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: few_distinct(3, 4, 10), "no 4 distinct values"),
        (lambda: few_distinct(3, 2, 1), "too few to choose from"),
        (lambda: changed([], ["a"]), "no answers"),
        (
            lambda: moved(Answers(*(np.zeros(2, dtype=np.int64),) * 3), -1.0, np.random.default_rng()),
            "below 0",
        ),
    ],
)
def test_refused(wrong: object, message: str) -> None:
    assert callable(wrong)
    with pytest.raises(stela.StelaError, match=message) as refused:
        wrong()
    assert refused.value.hint
    assert "\n" not in str(refused.value)
