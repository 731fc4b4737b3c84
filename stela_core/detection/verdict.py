"""The verdict of a test: what its p-value says, and whether it could have said anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Scorer

Verdict = Literal["watermarked", "no watermark found", "insufficient text"]


def verdict_of(
    p_value: float,
    tests: Sequence[Evidence],
    scorer: Scorer,
    alpha: float,
    fewest: int,
    looks: float = 1.0,
) -> Verdict:
    """What is said of a text.

    ``P(watermarked) <= alpha`` on unmarked text holds by the p-value alone: the rest chooses between the
    other two verdicts, or takes "watermarked" back.

    Args:
        p_value: of the text, the largest of its tests, corrected for readings and marks tested.
        tests: the text's evidence, once for each test that has to reach alpha.
        scorer: gives the p-value.
        alpha: largest p-value that is called watermarked.
        fewest: distinct pairs below which the profile wants no verdict (its ``min_tokens``).
        looks: what p-values were multiplied by to correct them.
    """
    if distinct_pairs(tests[0]) < fewest:
        return "insufficient text"
    if p_value <= alpha:
        return "watermarked"
    if any(looks * scorer.least_p_of(evidence.signals) > alpha for evidence in tests):
        return "insufficient text"
    return "no watermark found"


def decisive(*p_values: float | None) -> float:
    """The p-value that a verdict rests on: the largest of those that there are."""
    return max(p for p in p_values if p is not None)


def distinct_pairs(evidence: Evidence) -> int:
    """Distinct (hash context, token) pairs among the scored tokens."""
    return int(evidence.groups.max()) + 1 if len(evidence.groups) else 0
