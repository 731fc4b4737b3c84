"""Verdicts to win rate, ties, disagreement and position bias."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import stela_run
from stela_run.statistics.shares import clopper_pearson

import stela_core as stela
from stela_metrics.judge.pairs import Answers
from stela_metrics.judge.verdicts import Verdict

SCORES: dict[Verdict, float] = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""What a verdict is worth to the text that stood first."""


def summarise(answers: Sequence[Answers]) -> list[stela_run.Value]:
    """The metric's values.

    ``judge-win``: win rate of the marked text, (wins + ties / 2) / answers. ``judge-tie``: share of answers
    that are ties. ``judge-disagree``: share of pairs that get another verdict in the other order.
    ``judge-first``: share of the text that stands first, (choices of it + ties / 2) / answers: 0.5 without
    position bias, whichever text is better, as each stands first once. ``judge-first-p``: sign test over the
    pairs in which one place won more than the other (two-sided, binomial): the chance of such an excess
    where place means nothing. ``judge-unclear``: share of answers without a verdict.

    The unit is the pair, as the two answers on one depend on each other: intervals are for the number of
    pairs. A pair with an unclear answer counts only in ``judge-unclear``.

    Raises:
        StelaError: no pair has two clear answers.
    """
    from scipy.stats import binomtest

    clear = [(one, other) for one, other in answers if one is not None and other is not None]
    unclear = sum(verdict is None for both in answers for verdict in both)
    if not clear:
        raise stela.StelaError(
            f"no answer of the judge holds a verdict ({len(answers)} pairs).",
            "ask for [[A]], [[B]] or [[C]] in prompt_template, or leave room for it with max_tokens in extra",
        )
    count = len(clear)
    wins = [(SCORES[one] + 1 - SCORES[other]) / 2 for one, other in clear]
    first = [(SCORES[one] + SCORES[other]) / 2 for one, other in clear]
    ties = [((one == "tie") + (other == "tie")) / 2 for one, other in clear]
    differing = sum(SCORES[one] != 1 - SCORES[other] for one, other in clear)
    forward, backward = sum(f > 0.5 for f in first), sum(f < 0.5 for f in first)
    p_value = float(binomtest(forward, forward + backward).pvalue) if forward + backward else 1.0
    return [
        stela_run.Value("judge-win", *_mean(wins), count),
        stela_run.Value("judge-tie", *_mean(ties), count),
        stela_run.Value("judge-disagree", differing / count, *clopper_pearson(differing, count), count),
        stela_run.Value("judge-first", *_mean(first), count),
        stela_run.Value("judge-first-p", p_value, n=forward + backward),
        stela_run.Value("judge-unclear", unclear / (2 * len(answers)), n=len(answers)),
    ]


def _mean(scores: Sequence[float]) -> tuple[float, float, float]:
    mean = sum(scores) / len(scores)
    return mean, *wilson(mean, len(scores))


def wilson(mean: float, count: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a mean of ``count`` independent scores in [0, 1].

    For shares it is Wilson's (JASA 22, 1927). Scores between 0 and 1 vary less than the 0-or-1 scores of
    the same mean, whose variance it takes, so for them it is rather too wide; and where all scores are
    equal, where a bootstrap has width 0, it is not.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = mean + z * z / (2 * count)
    spread = z * sqrt(mean * (1 - mean) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    low, high = (middle - spread) / scale, (middle + spread) / scale
    # It holds the mean and stays in [0, 1]; at 0 and 1, only up to rounding errors.
    return min(mean, max(0.0, low)), max(mean, min(1.0, high))
