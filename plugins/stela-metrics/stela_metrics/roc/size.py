"""The metric ``roc-size``: how many tokens does a detector need?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import stela_run
from pydantic import Field
from stela_run.statistics.bootstrap import Floats, draws, ends

import stela_core as stela
from stela_core.api import Evidence

Level = Annotated[float, Field(gt=0, lt=1)]

Prefixes = Callable[[int], Floats]
"""Function from a number of tokens to the p-value of that prefix of each text."""


class SizeParameters(stela.Parameters):
    """Parameters of ``roc-size``."""

    levels: tuple[Level, ...] = Field(default=(0.02, 1e-3, 1e-6), min_length=1)
    """p-values; 0.02 is that of MarkMyWords."""
    share: float = Field(default=0.5, gt=0, lt=1)
    """Share of texts that are to be found."""
    resamples: int = Field(default=1_000, ge=100)
    """Resamples of the bootstrap."""


class Size(stela_run.Metric[SizeParameters]):
    """Tokens from which on half of the marked texts are found: the watermark size of MarkMyWords.

    ``size@0.02``: least n for which half of the texts have p <= 0.02 in their first n tokens (Piet et al.,
    2024, section 3). It is looked for by bisection, as if more tokens always find more texts. Weights are
    those of the whole text. Left out where half are not found at the full length.
    """

    name = "roc-size"

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """A value for each level, with a 95 % percentile bootstrap interval over texts.

        An end where a resample finds less than half at the full length is that length.

        Raises:
            StelaError: there is no marked text, or its test is not a sum over tokens.
        """
        if not sample.marked:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        prefixes = p_of_prefixes([one.detection for one in sample.marked], sample.watermark.parts.scorer)
        known: dict[int, Floats] = {}

        def p_values(tokens: int) -> Floats:
            if tokens not in known:
                known[tokens] = prefixes(tokens)
            return known[tokens]

        count, longest = len(sample.marked), max(len(one.detection.evidence.ids) for one in sample.marked)
        drawn = np.concatenate([one for [one] in draws([count], self.parameters.resamples, sample.seed)])
        values = []
        for level in self.parameters.levels:
            every = np.arange(count)
            size = least(p_values, every, level, self.parameters.share, longest)
            if size is None:
                continue
            name = f"size@{level:g}"
            if count < 2:
                values.append(stela_run.Value(name, size, n=count))
                continue
            sizes = [
                least(p_values, texts, level, self.parameters.share, longest) or longest for texts in drawn
            ]
            interval = ends(np.array(sizes, dtype=np.float64)) or (size, size)
            low, high = min(interval[0], size), max(interval[1], size)
            values.append(stela_run.Value(name, size, low, high, count))
        return values


def least(
    p_values: Prefixes, texts: npt.NDArray[np.intp], level: float, share: float, longest: int
) -> int | None:
    """Least number of tokens at which a share of the texts have a p-value of ``level`` or less.

    Args:
        p_values: of all texts.
        texts: which of them count, (n,); one may count several times.
        level: p-value.
        share: of texts.
        longest: tokens of the longest text.

    Returns:
        ``None`` where it is not so at the full length.
    """

    def enough(tokens: int) -> bool:
        return bool((p_values(tokens)[texts] <= level).mean() >= share)

    if not enough(longest):
        return None
    low, high = 0, longest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def p_of_prefixes(detections: Sequence[stela.Detection], scorer: stela.Scorer) -> Prefixes:
    """p-values of the beginnings of detected texts, corrected as those of the whole texts are.

    Raises:
        StelaError: the scorer looks at whole texts.
    """
    if any(detection.evidence.whole is not None for detection in detections):
        raise stela.StelaError(
            f'scorer "{scorer.name}" tests whole texts, so no part of one is tested.',
            "leave roc-size out for this scheme",
        )

    def p_values(tokens: int) -> Floats:
        return np.array([_p_value(one.evidence, one.tests, scorer, tokens) for one in detections])

    return p_values


def _p_value(evidence: Evidence, tests: int, scorer: stela.Scorer, tokens: int) -> float:
    within = int(np.searchsorted(evidence.positions, tokens))
    if not within:
        return 1.0
    groups = np.unique(evidence.groups[:within], return_inverse=True)[1].reshape(-1)
    whole = evidence.signals
    part = type(whole)(whole.draws[:within], whole.weights[:within], groups, whole.law)
    return min(1.0, scorer.score_signals(part).p_value * tests * evidence.choices / evidence.share)
