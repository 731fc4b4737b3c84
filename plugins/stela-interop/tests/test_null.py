"""Unmarked text: p-values hold over random keys, also where repetition and shared lists abound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.red_green import RedGreen
from stela_interop.sbw import Sbw
from stela_interop.selfhash import Selfhash

import stela_core as stela
from stela_core.api import GroupedScorer, group_pairs
from stela_core.statistics.grouping import ranks

pytestmark = pytest.mark.slow

SIZE, TOKENS, KEYS = 400, 120, 400
HASHERS: list[tuple[type[stela.Hasher], dict[str, Any]]] = [
    (Lefthash, {"gamma": 0.25, "context_width": 2, "vocab_size": SIZE}),
    (MarkLlm, {"gamma": 0.5, "context_width": 2, "vocab_size": SIZE}),
    (Selfhash, {"gamma": 0.25, "context_width": 0, "vocab_size": SIZE}),
    (Sbw, {"gamma": 0.25, "context_width": 3}),
    (Sbw, {"gamma": 0.5, "context_width": 1, "scheme": "lefthash"}),
    (RedGreen, {"gamma": 0.3, "context_width": 2}),
]


@pytest.mark.deep(keep=["lefthash"])
@pytest.mark.parametrize(
    ("hasher", "parameters"), HASHERS, ids=["lefthash", "markllm", "selfhash", "sbw", "sbw-left", "red-green"]
)
def test_false_alarms_are_at_most_nominal(
    hasher: type[stela.Hasher], parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text of few words: counting each token as a coin of its own would alarm several times too often."""
    # A table of a million entries for each key would take all the time, and its size is not the point.
    monkeypatch.setattr("stela_interop.selfhash.TABLE_SIZE", 10_007)
    rng = np.random.default_rng(0)
    ids = rng.choice([7, 11, 50, 120, 333, 399], TOKENS, p=np.arange(6, 0, -1) / 21)
    scorer = GroupedScorer(GroupedScorer.Parameters())
    grouped, plain = [], []
    for key in rng.integers(1, 1 << 62, KEYS).tolist():
        made = hasher(hasher.Parameters(**parameters), key)
        width = made.context_width
        positions = np.arange(width, TOKENS)
        seeds, tokens = made.seeds(ids[positions[:, None] + np.arange(-width, 0)]), ids[positions]
        groups = group_pairs(ranks(made.coins(seeds, tokens)), tokens)
        green, weights = made.green(seeds, tokens), np.ones(len(tokens))
        grouped.append(scorer.score(green, weights, groups, made.gamma).p_value)
        plain.append(scorer.score(green, weights, np.arange(len(tokens)), made.gamma).p_value)
    for alpha in (0.2, 0.1, 0.05, 0.02):
        spread = (alpha * (1 - alpha) / KEYS) ** 0.5
        assert np.mean(np.array(grouped) <= alpha) < alpha + 3.5 * spread
    assert np.mean(np.array(plain) <= 0.02) > 0.02 + 3.5 * (0.02 * 0.98 / KEYS) ** 0.5
