"""What detection says of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import Bernoulli, Signals
from stela_core.api import GroupedParameters, GroupedScorer, Verdict, group_pairs

FEWEST_PAIRS = 5
"""Distinct pairs below which there is no verdict, whatever gamma is."""

_SCORER = GroupedScorer(GroupedParameters(repeats="mean", ties="split"))
"""Each distinct pair is one coin, however often it occurs."""


class Sentence(NamedTuple):
    """One sentence of a text."""

    text: str
    region: int | None
    """Number of its region; ``None`` of the first sentence, which is not scored."""
    green: bool | None
    """Whether it is valid after the one before; ``None`` of the first."""


@dataclass(frozen=True)
class SentenceDetection:
    """Outcome for one text. A verdict never says that a person wrote it."""

    verdict: Verdict
    p_value: float
    """P(at least as many valid pairs) for unmarked text and a random key; exact, never 0. It is 1 where
    somebody else made the mark's file: mean, centres and edges may be fitted to the text."""
    z: float
    """Statistic, each distinct pair counted once."""
    z_plain: float
    """The papers' statistic, where each sentence is its own coin: for comparison only."""
    scored_sentences: int
    """All but the first."""
    unique_pairs: int
    """Distinct pairs of a context and the region after it: the independent coins."""
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
    contexts: npt.NDArray[np.int64],
    regions: npt.NDArray[np.int64],
    green: npt.NDArray[np.bool_],
    gamma: float,
    alpha: float,
    caveat: str | None = None,
) -> SentenceDetection:
    """Test one text.

    Over random keys, each distinct pair of context and region is valid with probability gamma, independently
    of the others. So the binomial tail is exact; ties are split (docs/statistics.md).

    Args:
        texts: its n sentences.
        contexts: int64, of all but the last sentence, in 0 .. 2^32 - 1.
        regions: of the same length, int64, of all but the first.
        green: of the same length, bool, whether each is valid after its context.
        gamma: probability that a pair is valid.
        alpha: largest p-value that is called watermarked.
        caveat: of a mark's file that somebody else made: such a file decides nothing.
    """
    groups = group_pairs(contexts[:, None], regions)
    weights = np.ones(len(groups))
    signals = Signals(green[:, None].astype(np.float64), weights, groups, Bernoulli(gamma))
    score = _SCORER.score_signals(signals)
    pairs = int(groups.max()) + 1 if len(groups) else 0
    verdict: Verdict = "no watermark found"
    p_value = score.p_value if caveat is None else 1.0
    if (
        pairs < FEWEST_PAIRS
        or caveat is not None
        or (p_value > alpha and _SCORER.least_p_of(signals) > alpha)
    ):
        verdict = "insufficient text"
    elif p_value <= alpha:
        verdict = "watermarked"
    first = [Sentence(text, None, None) for text in texts[:1]]
    others = map(Sentence, texts[1:], regions.tolist(), green.tolist())
    return SentenceDetection(
        verdict=verdict,
        p_value=p_value,
        z=score.z,
        z_plain=score.z_plain,
        scored_sentences=len(groups),
        unique_pairs=pairs,
        green_fraction=float(green.mean()) if len(groups) else 0.0,
        threshold=alpha,
        caveat=caveat,
        sentences=(*first, *others),
    )
