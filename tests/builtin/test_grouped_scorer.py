"""The core's scorer under the contract of all scorers, and scorers that the contract has to find out."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from stela_testing import ScorerContract

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.statistics.grouping import EXPONENTS

OFTEN = [("fourth-root", "split"), ("sum", "whole")]
"""The rules of new profiles, and of the first ones."""
OTHERS = [rules for rules in product(EXPONENTS, ("split", "whole")) if rules not in OFTEN]


class TestGrouped(ScorerContract):
    """With each rule for repeats and for ties."""

    @pytest.fixture(
        scope="class",
        params=[*OFTEN, *(pytest.param(rules, marks=pytest.mark.slow) for rules in OTHERS)],
        ids="-".join,
    )
    @classmethod
    def scorer(cls, request: pytest.FixtureRequest) -> GroupedScorer:
        repeats, ties = request.param
        return GroupedScorer(GroupedParameters(repeats=repeats, ties=ties))


class Halved(GroupedScorer):
    """Its p-values are half of what they may be."""

    def score(self, *evidence: Any) -> stela.Score:
        score = super().score(*evidence)
        return replace(score, p_value=score.p_value / 2)


class EachToken(GroupedScorer):
    """Each token of a repeated pair is a coin of its own."""

    def score(self, green: Any, weights: Any, groups: Any, gamma: float) -> stela.Score:
        return super().score(green, weights, np.arange(len(groups)), gamma)


class Redder(GroupedScorer):
    """Small p-values for red texts: valid, and upside down."""

    def score(self, green: Any, weights: Any, groups: Any, gamma: float) -> stela.Score:
        return super().score(~green, weights, groups, 1 - gamma)


@pytest.mark.parametrize("kind", [Halved, EachToken])
def test_invalid_p_values_are_found_out(kind: type[GroupedScorer]) -> None:
    contract, scorer = ScorerContract(), kind(GroupedParameters())
    with pytest.raises(AssertionError):
        contract.test_every_colouring_of_a_small_text(scorer, "repeated pairs", 0.25)
    with pytest.raises(AssertionError, match="p-values are at most"):
        contract.test_p_values_hold_over_random_colours(scorer, "equal")


def test_p_values_that_rise_are_found_out() -> None:
    with pytest.raises(AssertionError):
        ScorerContract().test_a_red_pair_turned_green_never_raises_p(Redder(GroupedParameters()))
