"""Bootstrap intervals of paired comparisons, and one correction for all comparisons of a table.

Prompts are drawn anew, each with all its texts. If each text has a separate key, drawing prompts draws keys
with them, and the interval covers both. Where the texts of a run share few keys, prompts and keys are both drawn
(the pigeonhole bootstrap: Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1, 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from stela_run.statistics.bootstrap import Floats, drawn_counts, ends
from stela_run.statistics.families import LEVEL, bootstrap_p, holm

RESAMPLES = 10_000
"""Resamples: enough that a p-value can be far below the level over the number of comparisons."""

SEED = 2026


class Paired(NamedTuple):
    """The z of texts that several cells share."""

    prompts: Sequence[str]
    """Prompts of the texts, (texts,)."""
    values: Floats
    """(cells, texts)."""
    keys: Sequence[int] | None = None
    """Keys of the texts, (texts,), where many share one; ``None`` where each has another."""

    @property
    def means(self) -> list[float]:
        """Mean z of each cell."""
        means: list[float] = self.values.mean(axis=1).tolist()
        return means


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float
    p: float = 1.0
    """Two-sided p-value of 0, uncorrected."""

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def signs(estimates: Sequence[Estimate]) -> list[int]:
    """1 or -1 where an estimate lies above or below 0 after Holm's correction for all of them, else 0."""
    adjusted = holm([estimate.p for estimate in estimates])
    return [
        0 if p > LEVEL else 1 if estimate.value > 0 else -1
        for p, estimate in zip(adjusted, estimates, strict=True)
    ]


MORE, LESS, ALIKE = "more", "less", "no measurable difference"


def verdicts(rows: list[dict[str, str]], estimates: Sequence[Estimate]) -> list[dict[str, str]]:
    """The rows, each with what its estimate says after Holm's correction for all of them."""
    for row, sign in zip(rows, signs(estimates), strict=True):
        row["verdict"] = (ALIKE, MORE, LESS)[sign]
    return rows


def estimate(pairs: Paired, statistic: Callable[[Floats], Floats]) -> Estimate:
    """A statistic of means over texts, with prompts, and shared keys, drawn anew.

    Args:
        pairs: texts.
        statistic: from means of the cells, (cells, resamples), to (resamples,).
    """
    names, prompt = np.unique(np.asarray(pairs.prompts), return_inverse=True)
    drawn = _drawn(len(names), SEED)
    numbers, key = np.unique(np.asarray(pairs.keys or [0] * len(pairs.prompts)), return_inverse=True)
    by_key = _drawn(len(numbers), SEED + 1)
    # A text counts as often as its prompt and its key were drawn: the product of the two.
    place, cells = prompt.ravel() * len(numbers) + key.ravel(), len(names) * len(numbers)
    sums = [np.bincount(place, row, cells).reshape(len(names), -1) for row in pairs.values]
    sizes = np.bincount(place, minlength=cells).reshape(len(names), -1).astype(np.float64)
    totals = np.stack([((drawn @ of) * by_key).sum(axis=1) for of in (*sums, sizes)])
    with np.errstate(invalid="ignore", divide="ignore"):
        resampled = statistic(totals[:-1] / totals[-1])
        whole = float(statistic(pairs.values.mean(axis=1)[:, None])[0])
    low, high = ends(resampled) or (float("nan"), float("nan"))
    return Estimate(whole, low, high, bootstrap_p(resampled))


@lru_cache(maxsize=8)
def _drawn(count: int, seed: int) -> Floats:
    """How often each is drawn, (resamples, count): the same for all tables of as many prompts."""
    return drawn_counts(count, RESAMPLES, seed).astype(np.float64)


def mean(pairs: Paired) -> Estimate:
    """Mean of the first cell."""
    return estimate(pairs, lambda means: means[0])


def difference(pairs: Paired) -> Estimate:
    """Mean of the first cell less that of the second."""
    return estimate(pairs, lambda means: means[0] - means[1])


def share_of_the_way(pairs: Paired) -> Estimate:
    """(cell - floor) / (bound - floor) of cells (cell, floor, bound)."""
    return estimate(pairs, lambda m: (m[0] - m[1]) / (m[2] - m[1]))
