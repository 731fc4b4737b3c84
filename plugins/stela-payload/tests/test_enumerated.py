"""p-values and bounds of small texts, worked out over all colourings: valid at each level down to 1e-6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from stela_payload.encoder import Payload
from stela_payload.interface import ScoredTokens

import stela_core as stela
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer

GAMMA, TOKENS = 1 / 4, 10
"""All green has probability 4**-10, about 1e-6."""

GROUPS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 3], dtype=np.int64)
"""Of ten pairs, two occur twice."""

SCORERS = [GroupedScorer(GroupedParameters(ties=ties)) for ties in ("split", "whole")]  # type: ignore[arg-type]
WEIGHTS = [np.ones(len(GROUPS)), np.linspace(0.2, 1.7, len(GROUPS))]


def colourings() -> Iterator[tuple[npt.NDArray[np.bool_], float]]:
    """Each colouring of the pairs, and its probability on unmarked text."""
    for colours in product((False, True), repeat=TOKENS):
        green = sum(colours)
        yield np.array(colours), GAMMA**green * (1 - GAMMA) ** (TOKENS - green)


def p_of(colours: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], scorer: stela.Scorer) -> float:
    return scorer.score(colours[GROUPS], weights, GROUPS, GAMMA).p_value


def law_of(weights: npt.NDArray[np.float64], scorer: stela.Scorer) -> tuple[npt.NDArray[np.float64], ...]:
    """The p-values that there are, in order, and the probability of one as small, of each."""
    values, chances = zip(
        *((p_of(each, weights, scorer), chance) for each, chance in colourings()), strict=True
    )
    order = np.argsort(values)
    return np.array(values)[order], np.cumsum(np.array(chances)[order])


@pytest.mark.parametrize("weights", WEIGHTS, ids=["alike", "weighted"])
@pytest.mark.parametrize("scorer", SCORERS, ids=["split", "whole"])
def test_exactly_this_message(scorer: stela.Scorer, weights: npt.NDArray[np.float64]) -> None:
    """P(p <= a) <= a of a message fixed beforehand, at every a that there is."""
    p, below = law_of(weights, scorer)
    assert p[0] <= 1e-6
    assert below[-1] == pytest.approx(1, abs=1e-12)
    # Equal p-values come together: the last of them has the probability of all.
    last = np.append(p[1:] > p[:-1], True)
    assert (below[last] <= p[last] * (1 + 1e-9)).all()


@pytest.mark.parametrize("messages", [2, 16, 256])
@pytest.mark.parametrize("weights", WEIGHTS, ids=["alike", "weighted"])
def test_a_message_is_here(messages: int, weights: npt.NDArray[np.float64]) -> None:
    """P(M min p <= a) <= a of the best of M messages, whose draws are independent."""
    p, below = law_of(weights, SCORERS[0])
    last = np.append(p[1:] > p[:-1], True)
    any_ = -np.expm1(messages * np.log1p(-np.minimum(below[last], 1 - 1e-16)))
    corrected = np.minimum(1.0, messages * p[last])
    assert corrected[0] <= messages * 1e-6
    assert (any_ <= corrected * (1 + 1e-9)).all()


class Drawn(stela.GreenList):
    """Colours under each of two messages as they are given, by the token's number."""

    name = "drawn"

    def __init__(self, colours: Sequence[npt.NDArray[np.bool_]], gamma: float = GAMMA) -> None:
        super().__init__(stela.HasherParameters(gamma=gamma), 0)
        self._colours = colours

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        return contexts[:, 0].astype(np.uint64)

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return np.array([self._colours[UNDER[int(s)]][t] for s, t in zip(seeds, tokens, strict=True)])


ONE = Payload(Payload.Parameters(bits=1))
UNDER = {int(ONE.seeds(np.zeros(1, dtype=np.uint64), value, 0)[0]): value for value in range(2)}
"""The message by the seed."""


@pytest.mark.deep(keep=["682"])
@pytest.mark.slow
@pytest.mark.parametrize("own", [0, 0b1, 0b11111, 0b1010101010, 0b1111111111])
def test_the_decoded_message(own: int) -> None:
    """P(error <= a and the message is not the text's) <= a, whatever the colours under the text's own."""
    zeros, args = np.zeros(len(GROUPS), dtype=np.uint64), (np.ones(len(GROUPS)), GROUPS, SCORERS[0])
    marked = np.array([own >> n & 1 for n in range(TOKENS)], dtype=bool)
    wrong: dict[float, float] = {}
    for other, chance in colourings():
        mark = Drawn([marked, other])
        read = ONE.read(ScoredTokens(mark, zeros, GROUPS, *args))
        if read.value == 1:
            error = round(np.log(read.error), 9)
            wrong[error] = wrong.get(error, 0.0) + chance
    below = 0.0
    for error in sorted(wrong):
        below += wrong[error]
        assert below <= np.exp(error) * (1 + 1e-6)
    assert wrong or own == 0b1111111111
    if own == 0:
        assert min(wrong) <= np.log(1e-6)


@pytest.mark.slow
def test_the_decoded_one_is_here() -> None:
    """P(2 p <= a) <= a of the message that is read, over all colours under both: five tokens, gamma 1/16."""
    count, gamma, scorer, law = 5, 1 / 16, SCORERS[0], dict[float, float]()
    zeros, tokens = np.zeros(count, dtype=np.uint64), np.arange(count)
    for colours in product((False, True), repeat=2 * count):
        both = np.array(colours[:count]), np.array(colours[count:])
        read = ONE.read(ScoredTokens(Drawn(both, gamma), zeros, tokens, np.ones(count), tokens, scorer))
        p = min(1.0, 2 * scorer.score(both[read.value], np.ones(count), tokens, gamma).p_value)
        chance = gamma ** sum(colours) * (1 - gamma) ** (2 * count - sum(colours))
        law[p] = law.get(p, 0.0) + chance
    below = 0.0
    assert min(law) <= 2e-6
    for p in sorted(law):
        below += law[p]
        assert below <= p * (1 + 1e-9)
