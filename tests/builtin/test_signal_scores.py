"""Scores of exponential signals and of several bits a token: slow oracles, validity, and colours as ever."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from stela_kernels.philox.exponential import Exponential, exponential_tail

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.interfaces import Bernoulli, Law, Signals
from stela_core.statistics.grouping import EXPONENTS, Repeats
from stela_core.statistics.p_value import split_tail_probability
from tests.tiers import Draws

fixed = settings(deadline=None, derandomize=True)
LAYERS = tuple(np.linspace(10, 1, 30) / np.linspace(10, 1, 30).sum())
LAWS = {
    "gumbel": Exponential(),
    "dual key": Exponential(parts=(0.9, 0.1)),
    "bits": Bernoulli(0.5, parts=(1 / 30,) * 30),
    "weighted bits": Bernoulli(0.5, parts=LAYERS),
    "bits of a table": Bernoulli(0.4996, parts=(0.5, 0.3, 0.2)),
    "green": Bernoulli(0.25),
}
rules = st.sampled_from(list(EXPONENTS))
laws = st.sampled_from(list(LAWS.values()))


def scorer(repeats: Repeats = "fourth-root", ties: str = "split") -> GroupedScorer:
    return GroupedScorer(GroupedParameters.model_validate({"repeats": repeats, "ties": ties}))


def drawn(law: Law, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws of each token: those of its group."""
    shape = (int(groups.max()) + 1 if len(groups) else 0, len(law.parts))
    draws = (
        rng.exponential(size=shape) if law.draws == "exponential" else (rng.random(shape) < law.gamma) * 1.0
    )
    return draws[groups]


def text(seed: int, law: Law) -> Signals:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    groups = rng.integers(0, int(rng.integers(1, 2 * count + 1)), count)
    weights = rng.gamma(1.0, size=count) if rng.random() < 0.7 else np.ones(count)
    return Signals(drawn(law, groups, rng), weights, groups, law)


@fixed
@given(st.integers(0, 2**32 - 1), laws, rules)
def test_groups_one_by_one(seed: int, law: Law, repeats: Repeats) -> None:
    signals = text(seed, law)
    members: dict[int, list[int]] = {}
    for n, group in enumerate(signals.groups.tolist()):
        members.setdefault(group, []).append(n)
    stakes = [math.fsum(signals.weights[m]) * len(m) ** (EXPONENTS[repeats] - 1) for m in members.values()]
    draws = [signals.draws[m[0]].tolist() for m in members.values()]
    excess = sum(
        w * (math.fsum(x * part for x, part in zip(row, law.parts, strict=True)) - law.mean)
        for w, row in zip(stakes, draws, strict=True)
    )
    score = scorer(repeats).score_signals(signals)
    assert score.z == pytest.approx(
        excess / math.sqrt(law.variance * math.fsum(w * w for w in stakes)), rel=1e-9, abs=1e-9
    )
    alone = Signals(signals.draws, signals.weights, np.arange(len(signals.groups)), law)
    assert score.z_plain == pytest.approx(scorer(repeats).score_signals(alone).z, rel=1e-9, abs=1e-9)
    flat = [
        (w * part, x)
        for w, row in zip(stakes, draws, strict=True)
        for part, x in zip(law.parts, row, strict=True)
    ]
    weights, values = (np.array(column) for column in zip(*flat, strict=True))
    if isinstance(law, Exponential):
        assert score.p_value == pytest.approx(exponential_tail(values, weights), rel=1e-9, abs=0)
    elif not law.is_green_list:
        assert score.p_value == pytest.approx(
            split_tail_probability(values > 0, weights, law.gamma), rel=1e-9, abs=0
        )


@fixed
@given(st.integers(0, 2**32 - 1), rules, st.sampled_from(["split", "whole"]))
def test_colours_are_scored_as_ever(seed: int, repeats: Repeats, ties: str) -> None:
    signals = text(seed, LAWS["green"])
    one = scorer(repeats, ties)
    wanted = one.score(signals.draws[:, 0] > 0, signals.weights, signals.groups, 0.25)
    assert one.score_signals(signals) == wanted
    best = one.score(np.ones(len(signals.groups), np.bool_), signals.weights, signals.groups, 0.25).p_value
    assert one.least_p_of(signals) == pytest.approx(best, rel=1e-9)


@fixed
@given(st.integers(0, 2**32 - 1), laws, rules)
def test_no_draws_are_below_the_least(seed: int, law: Law, repeats: Repeats) -> None:
    signals = text(seed, law)
    one = scorer(repeats)
    if isinstance(law, Exponential):
        assert one.least_p_of(signals) == 1e-300
        law = Exponential(law.parts, largest=float(signals.draws.max()) + 0.5)
        signals = Signals(signals.draws, signals.weights, signals.groups, law)
    least = one.least_p_of(signals)
    assert 1e-300 <= least <= one.score_signals(signals).p_value * (1 + 1e-9)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("weighted", [False, True])
def test_null_is_valid_and_uniform(name: str, weighted: bool, draws: Draws) -> None:
    """Of 30 bits a token, 20 tokens in ``make test``: bits cost as their square; p holds at any length."""
    law, rng = LAWS[name], np.random.default_rng(5)
    tokens = draws(60, 20) if len(law.parts) == 30 else 60
    groups = rng.integers(0, tokens * 3 // 4, tokens)
    weights = rng.gamma(0.7, size=tokens) if weighted else np.ones(tokens)
    scores = [
        scorer().score_signals(Signals(drawn(law, groups, rng), weights, groups, law))
        for _ in range(draws(600, 300))
    ]
    p = [score.p_value for score in scores]
    # Few steps in equal bits leave p above the uniform, never below it.
    assert stats.kstest(p, "uniform", alternative="greater").pvalue > 1e-3
    assert stats.kstest(p, "uniform").pvalue > (1e-3 if isinstance(law, Exponential) or weighted else 1e-9)
    assert np.std([score.z for score in scores]) == pytest.approx(1, abs=0.12)


def test_excess_and_no_weight() -> None:
    groups, one = np.arange(5), scorer()
    draws = np.full((5, 1), 2.0)
    plain = one.score_signals(Signals(draws, np.ones(5), groups, Exponential()))
    larger = one.score_signals(Signals(draws, np.ones(5), groups, Exponential(excess=0.01)))
    assert larger.p_value == pytest.approx(plain.p_value * 1.01**5, rel=1e-12)
    for law in LAWS.values():
        nothing = Signals(np.ones((5, len(law.parts))), np.zeros(5), groups, law)
        empty = Signals(np.ones((0, len(law.parts))), np.zeros(0), np.zeros(0, dtype=np.int64), law)
        for signals in (nothing, empty):
            assert one.score_signals(signals) == stela.Score(z=0.0, z_plain=0.0, p_value=1.0)
            assert one.least_p_of(signals) == 1.0
