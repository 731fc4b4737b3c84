"""The verdict of a test: what its p-value says, and whether it could have said anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Scorer

Verdict = Literal["watermarked", "no watermark found", "insufficient text"]


def best_p_value(evidence: Evidence, scorer: Scorer, gamma: float) -> float:
    """The p-value that the text would have if all its tokens were green: no colouring has a smaller one.

    It rests on weights and groups alone. The scorer is asked, so this holds for any scorer whose p-value
    never grows with another green token.
    """
    green = np.ones(len(evidence.positions), dtype=np.bool_)
    return scorer.score(green, evidence.weights, evidence.groups, gamma).p_value


def verdict_of(
    p_value: float,
    tests: Sequence[Evidence],
    scorer: Scorer,
    gamma: float,
    alpha: float,
    fewest: int,
    readings: int = 1,
) -> Verdict:
    """What is said of a text.

    ``P(watermarked) <= alpha`` on unmarked text holds by the p-value alone: the rest chooses between the
    other two verdicts, or takes "watermarked" back.

    Args:
        p_value: of the text, the largest of its tests, corrected for the readings.
        tests: the text's evidence, once for each test that has to reach alpha.
        scorer: gives the p-value.
        gamma: share of green tokens in unmarked text.
        alpha: largest p-value that is called watermarked.
        fewest: distinct pairs below which the profile wants no verdict (its ``min_tokens``).
        readings: how many readings of the text are tested.
    """
    if distinct_pairs(tests[0]) < fewest:
        return "insufficient text"
    if p_value <= alpha:
        return "watermarked"
    if any(readings * best_p_value(evidence, scorer, gamma) > alpha for evidence in tests):
        return "insufficient text"
    return "no watermark found"


def distinct_pairs(evidence: Evidence) -> int:
    """Distinct (hash context, token) pairs among the scored tokens."""
    return int(evidence.groups.max()) + 1 if len(evidence.groups) else 0
