"""The metric ``roc``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Annotated

import numpy as np
import stela_run
from pydantic import Field
from stela_run.statistics.bootstrap import Floats, Indices, counts_of, draws, ends
from stela_run.statistics.roc import Roc as Rates
from stela_run.statistics.roc import Scores, scores_of, tells
from stela_run.statistics.shares import widened

import stela_core as stela

Rate = Annotated[float, Field(gt=0, lt=1)]
BATCH = 250
"""Resamples drawn at once, of at most ``DRAWN`` texts."""

DRAWN = 25_000_000
"""Texts drawn at once, of 8 bytes each: above 100,000 texts fewer resamples are drawn together."""


class RocParameters(stela.Parameters):
    """Parameters of ``roc``."""

    rates: tuple[Rate, ...] = Field(default=(0.05, 0.01, 0.001), min_length=1)
    """False positive rates, and p-values."""

    resamples: int = Field(default=1_000, ge=100)
    """Resamples of the bootstrap."""


class Roc(stela_run.Metric[RocParameters]):
    """Detection rates with unmarked texts as negatives, and at nominal p-values.

    - ``tpr@0.01:human``: share of marked texts found where at most 1 % of the detections of human
      texts are; ``:model`` with the model's own unmarked texts. Left out where there are fewer than
      1 / rate detections of negatives, which cannot tell such a rate.
    - ``auc:human``: area under the ROC curve; ties count half.
    - ``f1:human``: best F1 over all thresholds, at prevalence 1/2: ``2 TPR / (1 + TPR + FPR)``.
    - ``tpr@p<=0.01``: share of marked texts with this p-value or a smaller one; it needs no negatives.

    All have 95 % percentile bootstrap intervals: marked texts are drawn anew and, independently,
    negative texts, each with its detections under all keys (those of one text are not independent).
    Where a TPR is 0 or 1 all resamples agree, which says too much; its interval then takes in that of
    Clopper and Pearson for this number of marked texts.
    """

    name = "roc"
    by_default = True

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Values in the order above, human negatives first.

        Raises:
            StelaError: the sample has no marked text.
        """
        if not sample.marked:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        marked = Scores.single(_scores(one.detection for one in sample.marked))
        values: list[stela_run.Value] = []
        for kind, texts in (("human", sample.human), ("model", sample.model_text)):
            negatives = Scores.of_texts([_scores(one.detections) for one in texts])
            if negatives.count:
                values += self._against(kind, marked, negatives, sample.seed)
        return [*values, *self._nominal(sample)]

    def _against(self, kind: str, marked: Scores, negatives: Scores, seed: int) -> list[stela_run.Value]:
        rates = [rate for rate in self.parameters.rates if tells(len(negatives.scores), rate)]
        names = [*(f"tpr@{rate:g}:{kind}" for rate in rates), f"auc:{kind}", f"f1:{kind}"]
        statistics = Rates(marked, negatives, rates)
        intervals = self._intervals(statistics, (marked.count, negatives.count), seed)
        return [
            _value(name, value, interval, marked.count)
            for name, value, interval in zip(names, statistics.values().tolist(), intervals, strict=False)
        ]

    def _nominal(self, sample: stela_run.Sample) -> list[stela_run.Value]:
        rates = self.parameters.rates
        p_values = np.array([one.detection.p_value for one in sample.marked])
        hits = np.array([p_values <= rate for rate in rates], dtype=np.float64).reshape(len(rates), -1)

        def shares(marked: Indices) -> Floats:
            return hits @ counts_of(marked, len(p_values)).T / len(p_values)

        intervals = self._intervals(shares, (len(p_values),), sample.seed)
        return [
            _value(f"tpr@p<={rate:g}", float(share), interval, len(p_values))
            for rate, share, interval in zip(rates, hits.mean(axis=1), intervals, strict=False)
        ]

    def _intervals(
        self, statistic: Callable[..., Floats], counts: tuple[int, ...], seed: int
    ) -> Iterable[tuple[float, float] | None]:
        """Ends of the interval of each statistic; ``None`` where a sample has but one text."""
        if min(counts) < 2:
            return repeat(None)
        batch = max(1, min(BATCH, DRAWN // sum(counts)))
        drawn = draws(counts, self.parameters.resamples, seed, batch)
        return map(ends, np.concatenate([statistic(*one) for one in drawn], axis=1))


def _scores(detections: Iterable[stela.Detection]) -> Floats:
    return scores_of(detection.p_value for detection in detections)


def _value(name: str, value: float, interval: tuple[float, float] | None, n: int) -> stela_run.Value:
    if interval is None:
        return stela_run.Value(name, value, n=n)
    # Sums of floats: an end may miss the value of the texts themselves by a rounding error.
    low, high = min(interval[0], value), max(interval[1], value)
    if name.startswith("tpr@"):
        low, high = widened(value, low, high, n)
    return stela_run.Value(name, value, low, high, n)
