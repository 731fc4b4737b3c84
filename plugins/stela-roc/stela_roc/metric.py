"""The metric ``roc``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Annotated, Any

import numpy as np
from pydantic import Field

import stela_core as stela
from stela_core.api import CONFIDENCE, clopper_pearson
from stela_roc.points import points
from stela_roc.resampled import Indices, Resampled, counts_of
from stela_roc.scores import Floats, Negatives, scores_of

Rate = Annotated[float, Field(gt=0, lt=1)]
BATCH = 250
"""Resamples worked on at once: it bounds memory, at 8 bytes x BATCH x detections for some arrays."""


class RocParameters(stela.Parameters):
    """Parameters of ``roc``."""

    rates: tuple[Rate, ...] = Field((0.05, 0.01, 0.001), min_length=1)
    """False positive rates, and p-values."""

    resamples: int = Field(default=1_000, ge=100)
    """Of the bootstrap."""


class Roc(stela.Metric[RocParameters]):
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
    Clopper and Pearson for so many marked texts.
    """

    name = "roc"
    by_default = True

    def measure(self, sample: stela.Sample) -> Sequence[stela.Value]:
        """Values in the order above, human negatives first.

        Raises:
            StelaError: the sample has no marked text.
        """
        if not sample.marked:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        marked = scores_of(one.detection for one in sample.marked)
        found: list[stela.Value] = []
        for kind, texts in (("human", sample.human), ("model", sample.model_text)):
            negatives = Negatives.of(texts)
            if negatives.count:
                found += self._against(kind, marked, negatives, sample.seed)
        return [*found, *self._nominal(sample)]

    def _against(self, kind: str, marked: Floats, negatives: Negatives, seed: int) -> list[stela.Value]:
        told = len(negatives.scores)
        # The rate as 1 / n is a rounded one: 1 / 0.001 is 1000.
        rates = [rate for rate in self.parameters.rates if told >= round(1 / rate, 6)]
        names = [*(f"tpr@{rate:g}:{kind}" for rate in rates), f"auc:{kind}", f"f1:{kind}"]
        values = points(marked, negatives.scores, rates)
        resampled = Resampled(marked, negatives, rates)
        ends = self._interval(resampled, (len(marked), negatives.count), seed)
        return [
            _value(name, value, end, len(marked))
            for name, value, end in zip(names, values.tolist(), ends, strict=False)
        ]

    def _nominal(self, sample: stela.Sample) -> list[stela.Value]:
        rates = self.parameters.rates
        p_values = np.array([one.detection.p_value for one in sample.marked])
        found = np.array([p_values <= rate for rate in rates], dtype=np.float64).reshape(len(rates), -1)

        def shares(marked: Indices) -> Floats:
            return found @ counts_of(marked, len(p_values)).T / len(p_values)

        ends = self._interval(shares, (len(p_values),), sample.seed)
        return [
            _value(f"tpr@p<={rate:g}", float(share), end, len(p_values))
            for rate, share, end in zip(rates, found.mean(axis=1), ends, strict=False)
        ]

    def _interval(
        self, statistic: Callable[..., Floats], counts: tuple[int, ...], seed: int
    ) -> Iterator[tuple[float, float] | None]:
        """Ends of the interval of each statistic; ``None`` where a sample has but one text."""
        if min(counts) < 2:
            return repeat(None)
        from scipy.stats import bootstrap

        def of_indices(*drawn: Any, axis: int) -> Floats:
            # SciPy asks for the sample itself too, without resamples.
            if drawn[0].ndim == 1:
                return statistic(*(one[None] for one in drawn))[:, 0]
            return statistic(*drawn)

        interval = bootstrap(
            tuple(np.arange(count) for count in counts),
            of_indices,
            n_resamples=self.parameters.resamples,
            batch=BATCH,
            vectorized=True,
            axis=-1,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
        return zip(interval.low.tolist(), interval.high.tolist(), strict=True)


def _value(name: str, value: float, ends: tuple[float, float] | None, n: int) -> stela.Value:
    if ends is None:
        return stela.Value(name, value, n=n)
    # The value is rounded, the ends are not.
    low, high = min(ends[0], value), max(ends[1], value)
    if name.startswith("tpr@") and value in (0.0, 1.0):
        exact = clopper_pearson(round(value * n), n, CONFIDENCE)
        low, high = min(low, exact[0]), max(high, exact[1])
    return stela.Value(name, value, low, high, n)
