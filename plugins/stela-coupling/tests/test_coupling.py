"""The coupling against all colourings of small vocabularies, and against the best there is."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from stela_coupling.coupling import HEADS, coupled, lowered, most_green, plan
from stela_coupling.expected import green_rise

from tests.tiers import examples

rows = st.lists(st.floats(-6, 3), min_size=1, max_size=7).map(lambda row: np.exp(row) / np.exp(row).sum())


def colourings(tokens: int) -> np.ndarray:
    return np.array(list(product([False, True], repeat=tokens)))


def reweighted(p: np.ndarray, green: np.ndarray, nats: float = 0.0, heads: int = HEADS) -> np.ndarray:
    """The marked distribution (tokens,) under one colouring."""
    first, rest = np.split(np.argsort(-p, kind="stable"), [heads])
    made = coupled(p[first].tolist(), green[first].tolist(), p[rest].sum(), p[rest] @ green[rest], nats)
    out = p * np.where(green, made.on_green, made.on_red)
    out[first] = made.heads
    return out


def all_keys(p: np.ndarray, nats: float = 0.0, heads: int = HEADS) -> tuple[np.ndarray, np.ndarray]:
    """Colourings (2**n, n), and the marked distribution under each."""
    green = colourings(len(p))
    return green, np.array([reweighted(p, one, nats, heads) for one in green])


@examples(60)
@given(rows, st.integers(1, 7))
@example(p=np.array([1.0]), heads=1)
@example(p=np.array([0.5, 0.5]), heads=64)
@example(p=np.array([0.5, 0.25, 0.125, 0.125]), heads=2)
@example(p=np.array([1.0, 0.0, 0.0]), heads=2)
def test_the_mean_over_colourings_is_the_models(p: np.ndarray, heads: int) -> None:
    """And under each the probabilities add up to 1."""
    _, marked = all_keys(p, heads=heads)
    assert (marked >= -1e-15).all()
    assert marked.sum(axis=1) == pytest.approx(np.ones(len(marked)))
    assert marked.mean(axis=0) == pytest.approx(p, abs=1e-12)


@examples(60)
@given(rows)
def test_green_as_often_as_was_taken_and_never_above_the_bound(p: np.ndarray) -> None:
    green, marked = all_keys(p)
    often = (marked * green).sum(axis=1).mean()
    heads = np.sort(p)[::-1].tolist()
    assert often >= sum(plan(heads).taken) - 1e-12
    assert often <= most_green(heads) + 1e-12
    assert often >= most_green(heads) - 0.08


@pytest.mark.parametrize("p", [[0.7, 0.3], [0.4, 0.4, 0.2], [0.6, 0.3, 0.06, 0.04], [0.25] * 4, [0.9, 0.1]])
def test_the_bound_is_the_best_of_all_couplings(p: list[float]) -> None:
    """A linear programme over all distributions under all colourings whose mean is p."""
    green = colourings(len(p))
    keys, tokens = green.shape
    under_a_key = np.kron(np.eye(keys), np.ones(tokens))
    of_a_token = np.kron(np.ones(keys), np.eye(tokens)) / keys
    best = linprog(
        green.ravel() / -keys,
        A_eq=np.vstack([under_a_key, of_a_token]),
        b_eq=np.concatenate([np.ones(keys), p]),
    )
    assert -best.fun == pytest.approx(most_green(p))


def test_one_token_takes_all_it_can() -> None:
    """0.7: all draws where it is green, which are half; 0.3: half of what is left."""
    made = plan([0.7, 0.3])
    assert made.shares == [1.0, 1.0]
    assert made.taken == [0.5, 0.25]
    assert made.free == 0.25
    assert most_green([0.7, 0.3]) == 0.75


def test_tokens_after_the_heads_are_green_as_often_as_a_maximal_coupling_makes_them() -> None:
    """200 equal ones, one of them a head: nearly always green."""
    p, green = np.full(200, 0.005), np.arange(200) < 96
    marked = reweighted(p, green, heads=1)
    assert marked @ green > 0.95
    assert marked.sum() == pytest.approx(1)


def test_lowering_costs_little_and_gives_more() -> None:
    """Where tokens are too likely: by exp(-nats) at most, never below what green draws cover."""
    assert lowered([0.9, 0.1], 0.1) == pytest.approx([0.9 * np.exp(-0.1), 0.1])
    assert lowered([0.52, 0.2], 1.0) == pytest.approx([0.5, 0.2])
    p = np.array([0.9, 0.1])
    free, paid = (all_keys(p, nats) for nats in (0.0, 0.1))
    assert (paid[1] * paid[0]).sum() > (free[1] * free[0]).sum()
    mean = paid[1].mean(axis=0)
    whole = 0.9 * np.exp(-0.1) + 0.1
    assert mean == pytest.approx([0.9 * np.exp(-0.1) / whole, 0.1 / whole])
    assert (mean * np.log(mean / p)).sum() < 0.0005


def test_lowering_is_the_best_for_its_price() -> None:
    """The largest green probability less KL / nats, over all distributions: a grid of three tokens."""
    p, nats = np.array([0.8, 0.15, 0.05]), 0.2

    def worth(q: np.ndarray) -> float:
        return most_green(np.sort(q)[::-1].tolist()) - float((q * np.log(q / p)).sum()) / nats

    cut = np.array(lowered(p.tolist(), nats))
    cut /= cut.sum()
    grid = np.arange(1, 100) / 100
    best = max(worth(np.array([a, (1 - a) * b, (1 - a) * (1 - b)])) for a in grid for b in grid)
    assert worth(cut) >= best - 0.002
    assert log(0.8 / cut[0]) < nats


@pytest.mark.parametrize("p", [[1.0], [0.5, 0.5], [0.9, 0.1], [0.5, 0.3, 0.15, 0.05]])
def test_the_expected_rise_is_the_mean_over_all_colourings(p: list[float]) -> None:
    green, marked = all_keys(np.array(p))
    expected = (marked * green).sum(axis=1).mean() - 0.5
    assert green_rise(np.array(p), green.T, green @ p) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("p", "rise"), [([1.0], 0), ([0.5, 0.5], 0.25), ([0.7, 0.3], 0.25), ([0.9, 0.1], 0.1)]
)
def test_the_expected_rise_of_two_tokens(p: list[float], rise: float) -> None:
    """The first takes half at most, the second a quarter: no coupling gives more (Hall)."""
    green, _ = all_keys(np.array(p))
    assert green_rise(np.array(p), green.T, green @ p) == pytest.approx(rise)


def test_the_expected_rise_counts_tokens_after_the_heads() -> None:
    """Six equal ones, two of them heads: as the whole distribution says."""
    p = np.full(6, 1 / 6)
    green, marked = all_keys(p, heads=2)
    expected = (marked * green).sum(axis=1).mean() - 0.5
    assert green_rise(p[:2], green[:, :2].T, green @ p) == pytest.approx(expected)
