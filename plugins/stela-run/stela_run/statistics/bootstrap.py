"""The percentile bootstrap: texts are drawn anew, and the range of what they then say is the interval.

Efron and Tibshirani (An Introduction to the Bootstrap, 1993), chapter 13. Texts are drawn whole: what
belongs to one of them (its tokens, its tests under several keys) depends on itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from stela_run.statistics.shares import CONFIDENCE

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int64]

AT_ONCE = 4_000_000
"""Texts x resamples worked on at once, at some 20 bytes each: it bounds memory."""


def draws(
    counts: Sequence[int], resamples: int, seed: int, batch: int | None = None
) -> Iterator[tuple[Indices, ...]]:
    """Which texts were drawn, with replacement, from each of some independent samples.

    The numbers are those of ``scipy.stats.bootstrap`` under ``default_rng(seed)`` and the same ``batch``.

    Args:
        counts: number of texts in each sample.
        resamples: how often all are drawn.
        seed: of the draws.
        batch: resamples at once, all by default. It bounds memory, and decides which numbers are drawn.

    Yields:
        for each sample indices of its texts, (batch, count); the last batch may be smaller.
    """
    rng = np.random.default_rng(seed)
    batch = batch or resamples
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        yield tuple(rng.integers(0, count, (rows, count)) for count in counts)


def counts_of(drawn: Indices, count: int) -> Counts:
    """How often each of ``count`` texts was drawn: (resamples, draws) -> (resamples, count)."""
    rows = len(drawn)
    flat = drawn + np.arange(rows)[:, None] * count
    return np.bincount(flat.ravel(), minlength=rows * count).reshape(rows, count)


def drawn_counts(count: int, resamples: int, seed: int) -> Counts:
    """How often each of ``count`` texts is drawn, (resamples, count), without the single draws."""
    return np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), resamples)


def drawn_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Mean of the values of texts drawn anew as :func:`drawn_counts` draws them, (resamples,).

    Args:
        values: of each text, (texts,).
        resamples: how often all are drawn.
        seed: of the draws.
    """
    rng, count = np.random.default_rng(seed), len(values)
    shares = np.full(count, 1 / count)
    # As many rows at once as memory should hold: the numbers drawn are the same.
    rows = max(1, AT_ONCE // count)
    sizes = [min(rows, resamples - start) for start in range(0, resamples, rows)]
    return np.concatenate([rng.multinomial(count, shares, size) @ values for size in sizes]) / count


def ends(values: Floats, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Ends of the interval.

    Args:
        values: the statistic of each resample, (resamples,). What is not finite is not defined there,
            and left out.
        confidence: in (0, 1).

    Returns:
        ``None`` where no resample has a value.
    """
    defined = values[np.isfinite(values)]
    if not len(defined):
        return None
    tail = round(50 * (1 - confidence), 9)
    low, high = np.percentile(defined, [tail, 100 - tail]).tolist()
    return low, high


def mean_ends(values: Floats, resamples: int, seed: int) -> tuple[float, float]:
    """Ends of the 95 % interval of the mean of finite values, (texts,)."""
    # Of one sample the numbers drawn are the same in batches of any size.
    batches = draws([len(values)], resamples, seed, max(1, AT_ONCE // len(values)))
    bounds = ends(np.concatenate([values[drawn].mean(axis=-1) for (drawn,) in batches]))
    assert bounds is not None, "a mean of finite values is finite"
    return bounds
