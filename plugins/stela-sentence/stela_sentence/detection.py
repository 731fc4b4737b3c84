"""What detection says of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.api import GroupedParameters, GroupedScorer, Verdict, group_pairs
from stela_sentence.partitions import NONE

FEWEST_PAIRS = 5
"""Distinct pairs below which there is no verdict, whatever gamma is."""

_SCORER = GroupedScorer(GroupedParameters(repeats="mean", ties="split"))
"""Each distinct pair is one coin, however often it occurs."""


class Sentence(NamedTuple):
    """One sentence of a text."""

    text: str
    region: int | None
    """Its number; ``None`` where it has none."""
    green: bool | None
    """Whether it is valid after the one before; ``None`` where it is not scored."""


@dataclass(frozen=True)
class SentenceDetection:
    """Outcome for one text. A verdict never says that a person wrote it."""

    verdict: Verdict
    p_value: float
    """P(so many valid pairs or more) for unmarked text and a random key; exact, never 0."""
    z: float
    """Statistic, each distinct pair counted once."""
    z_plain: float
    """The papers' statistic, where each sentence is its own coin: for comparison only."""
    scored_sentences: int
    """Sentences with a region whose predecessor has one."""
    unique_pairs: int
    """Distinct pairs of neighbouring regions among them: the independent coins."""
    green_fraction: float
    """Share of scored sentences that are valid; 0 if none is scored."""
    threshold: float
    """``p_value`` at or below it gives the verdict "watermarked" (the mark's alpha)."""
    caveat: str | None
    """What the verdict takes for granted where somebody else made the mark's file."""
    sentences: tuple[Sentence, ...] = field(repr=False)

    @property
    def watermarked(self) -> bool:
        """Whether a mark was found; ``False`` says neither that there is none nor who wrote the text."""
        return self.verdict == "watermarked"

    def to_dict(self, sentences: bool = False) -> dict[str, Any]:
        """The fields that ``stela sentence detect --json`` prints."""
        said = asdict(self)
        listed = said.pop("sentences")
        return {**said, "sentences": [Sentence(*one)._asdict() for one in listed]} if sentences else said


def judged(
    texts: Sequence[str],
    regions: npt.NDArray[np.int64],
    green: npt.NDArray[np.bool_],
    gamma: float,
    alpha: float,
    caveat: str | None = None,
) -> SentenceDetection:
    """Test one text.

    Over random keys, each distinct pair of regions is valid with probability gamma, independently of the
    others. So the binomial tail is exact, and ties are split as in every other mark (docs/statistics.md).

    Args:
        texts: its n sentences.
        regions: (n,), int64, their regions, or ``NONE``.
        green: (n - 1,), bool, whether each is valid after the one before, from the second on.
        gamma: probability that a pair is valid.
        alpha: largest p-value that is called watermarked.
        caveat: of the mark's file.
    """
    scored = (regions[1:] != NONE) & (regions[:-1] != NONE)
    coins, groups = green[scored], group_pairs(regions[:-1][scored][:, None], regions[1:][scored])
    weights = np.ones(len(coins))
    score = _SCORER.score(coins, weights, groups, gamma)
    pairs = int(groups.max()) + 1 if len(groups) else 0
    verdict: Verdict = "no watermark found"
    if pairs < FEWEST_PAIRS or (
        score.p_value > alpha and _SCORER.least_p_value(weights, groups, gamma) > alpha
    ):
        verdict = "insufficient text"
    elif score.p_value <= alpha:
        verdict = "watermarked"
    told = np.concatenate([np.zeros(min(1, len(texts)), dtype=np.bool_), scored])
    colours = np.concatenate([np.zeros(min(1, len(texts)), dtype=np.bool_), green])
    return SentenceDetection(
        verdict=verdict,
        p_value=score.p_value,
        z=score.z,
        z_plain=score.z_plain,
        scored_sentences=len(coins),
        unique_pairs=pairs,
        green_fraction=float(coins.mean()) if len(coins) else 0.0,
        threshold=alpha,
        caveat=caveat,
        sentences=tuple(
            Sentence(text, None if region == NONE else region, colour if seen else None)
            for text, region, colour, seen in zip(
                texts, regions.tolist(), colours.tolist(), told.tolist(), strict=True
            )
        ),
    )
