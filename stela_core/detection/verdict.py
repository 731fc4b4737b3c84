"""The verdict of a test: what its p-value says, and whether it could have said anything else."""

from __future__ import annotations

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


def verdict_of(p_value: float, best: float, alpha: float, pairs: int, fewest: int) -> Verdict:
    """What is said of a text.

    ``P(watermarked) <= alpha`` on unmarked text holds by the p-value alone, whatever the other two are.

    Args:
        p_value: of the text.
        best: the smallest p-value that a colouring of its tokens could have (:func:`best_p_value`).
        alpha: largest p-value that is called watermarked.
        pairs: distinct (hash context, token) pairs of the text.
        fewest: pairs below which the profile wants no verdict (its ``min_tokens``).
    """
    if pairs < fewest:
        return "insufficient text"
    if p_value <= alpha:
        return "watermarked"
    return "insufficient text" if best > alpha else "no watermark found"
