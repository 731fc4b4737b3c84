"""What is said of messages holds down to 1e-6: all colourings of small texts, each by its probability."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from stela_payload.blocks import seeds_of_values
from stela_payload.encoder import Payload

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer

GAMMA = 1 / 256
PAIRS, VALUES = 3, 4
SEEDS, TOKENS = np.array([11, 22, 33], dtype=np.uint64), np.array([7, 8, 9])
ENCODER = Payload(Payload.Parameters(bits=2))
SCORER = GroupedScorer(GroupedParameters())
LEVELS = (0.3, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 3e-7)


class Tabulated(KeyedHasher):
    """Draws of a table (pairs, values) in place of those of a hash."""

    draws_mix = False

    def __init__(self) -> None:
        super().__init__(stela.HasherParameters(gamma=GAMMA), 1)
        changed = seeds_of_values(SEEDS[:, None], np.arange(VALUES, dtype=np.uint64))
        self.places = {int(seed): place for place, seed in enumerate(changed.ravel())}
        self.table: npt.NDArray[np.float64] = np.zeros(PAIRS * VALUES)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return self.table[[self.places[int(seed)] for seed in seeds]][:, None]


MARK = Tabulated()


def probability(colours: Sequence[int]) -> float:
    """Of these colours under a random key."""
    green = sum(colours)
    return GAMMA**green * (1 - GAMMA) ** (len(colours) - green)


def read(colours: Sequence[int], weights: npt.NDArray[np.float64]) -> tuple[stela.Message, float]:
    """The message of a text whose coins, pair after pair and value after value, have these colours; its p."""
    MARK.table = np.array(colours, dtype=np.float64)
    text = stela.ScoredTokens(MARK, SEEDS, TOKENS, weights, np.arange(PAIRS), SCORER)
    message = ENCODER.read(text)
    score = SCORER.score_signals(text.signals(ENCODER.seeds(SEEDS, message.value)))
    return message, min(1.0, ENCODER.choices * score.p_value)


@pytest.mark.slow
@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [1.0, 2.0, 3.5]])
def test_a_message_is_here(weights: Any) -> None:
    """P(p of the best message <= a) <= a on unmarked text, and small p are there."""
    at_most = dict.fromkeys(LEVELS, 0.0)
    for colours in product((0, 1), repeat=PAIRS * VALUES):
        _, p = read(colours, np.array(weights))
        for level in LEVELS:
            at_most[level] += probability(colours) * (p <= level)
    assert all(share <= level for level, share in at_most.items())
    assert at_most[LEVELS[-1]] > 0


@pytest.mark.parametrize("own", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)])
def test_another_message_is_seldom_named(own: tuple[int, ...]) -> None:
    """P(its bound <= a) <= a, whatever the colours under the text's own message: the model chooses them."""
    at_most = dict.fromkeys(LEVELS, 0.0)
    for others in product((0, 1), repeat=PAIRS * (VALUES - 1)):
        colours = np.column_stack([own, np.reshape(others, (PAIRS, VALUES - 1))]).ravel()
        message, _ = read(colours.tolist(), np.ones(PAIRS))
        for level in LEVELS:
            at_most[level] += probability(others) * (message.value != 0 and message.error <= level)
    assert all(share <= level for level, share in at_most.items())
    assert at_most[1e-6] > 0 or sum(own) == PAIRS
