"""What a text's p-values say: which of them decides, and whether it could have said anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from stela_core.composition import Composition
from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Score, Scorer
from stela_core.profile.provenance import Provenance, times_of

Verdict = Literal["watermarked", "no watermark found", "insufficient text"]

VERDICTS: tuple[Verdict, ...] = ("watermarked", "no watermark found", "insufficient text")
"""What says most first."""


class PValues(NamedTuple):
    """The p-values of a whole text, each valid by itself, corrected for the readings and marks tested."""

    weighted: float
    """p-value by the watermark's weights."""
    unweighted: float | None = None
    """p-value with weight 1 for every token, where someone else made the table."""
    chosen: float | None = None
    """The larger of the two times the number of keys, where a stranger may have chosen among them part by
    part, and of rows of ids, where the tokenizer may have been made for the text."""

    @property
    def deciding(self) -> float:
        """The one that a verdict rests on: the largest of those that there are."""
        return max(p for p in self if p is not None)


class Corrected(NamedTuple):
    """What the verdict on a text rests on."""

    p: PValues
    tests: tuple[Evidence, ...]
    """The evidence, once for each test that has to reach alpha."""
    choices: float
    """The number of keys, or of rows of ids, that were chosen among; 1 where the maker chose neither."""
    log_choices: float
    """Logarithm of the number of choices."""
    looks: float
    """What p-values were multiplied by, all in all."""


def correct(
    evidence: Evidence, score: Score, composition: Composition, provenance: Provenance, tests: int
) -> Corrected:
    """Correct a score's p-value: ``tests`` marks are tested in all, the evidence has its share of alpha.

    The best of N messages is as the best of N keys (Bonferroni): P(min p_i <= a / N) <= a.
    """
    times = tests * evidence.choices / evidence.share
    p, have_to_pass = PValues(min(1.0, times * score.p_value)), [evidence]
    if provenance.foreign_table and composition.evidence.uses_table:
        have_to_pass.append(evidence.unweighted())
        plain = evidence.whole or composition.scorer.score_signals(have_to_pass[1].signals)
        p = p._replace(unweighted=min(1.0, times * plain.p_value))
    tokens, ids = len(evidence.before) + len(evidence.ids), len(evidence.token_bytes)
    log_choices = provenance.log_choices(composition.hasher.log_choices, tokens, ids)
    choices = times_of(log_choices)
    if choices > 1:
        p = p._replace(chosen=min(1.0, choices * p.deciding))
    return Corrected(p, tuple(have_to_pass), choices, log_choices, times * choices)


def verdict_of(
    p_value: float,
    tests: Sequence[Evidence],
    scorer: Scorer,
    alpha: float,
    fewest: int,
    looks: float = 1.0,
) -> Verdict:
    """What is said of a text.

    ``P(watermarked) <= alpha`` on unmarked text follows from the p-value: the rest chooses between the
    other two verdicts, or takes "watermarked" back.

    Args:
        p_value: of the text, the one that decides.
        tests: the text's evidence, once for each test that has to reach alpha.
        scorer: gives the p-value.
        alpha: largest p-value that is called watermarked.
        fewest: distinct pairs below which the profile wants no verdict (its ``min_tokens``).
        looks: what p-values were multiplied by to correct them.
    """
    if tests[0].pairs < fewest:
        return "insufficient text"
    if p_value <= alpha:
        return "watermarked"
    if any(looks * scorer.least_p_of(evidence.signals) > alpha for evidence in tests):
        return "insufficient text"
    return "no watermark found"
