"""WaterSeeker's own search for marked passages, as its authors run it, with their thresholds: a comparison.

Pan et al., "WaterSeeker: Pioneering Efficient Detection of Watermarked Segments in Large Documents", Findings
of NAACL 2025, and their program for KGW (github.com/THU-BPM/WaterSeeker, ``seeker.py``). A segment that many
windows were looked through for is tested as if it had been named beforehand, and repeated pairs count each
time: at a level a, more than a of unmarked documents have one. It is not a p-value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WINDOW = 50
"""Tokens of the window that slides over the text; ends are looked for at most as many tokens inwards."""

SHARE = 0.5
"""Share of the way from the mean green share up to the highest ones: windows above that are suspicious."""

TOP = 20
"""The highest shares, whose mean is "the highest"."""

GAP = 100
"""Largest distance, in tokens, of the starts of suspicious windows that are one segment."""

SHORTEST = 100
"""Tokens of a segment, at least."""

NORMAL = 200
"""Tokens from which on thresholds are those of the normal distribution; of fewer, of the binomial one."""


class Segment(NamedTuple):
    """What is named: flags ``start .. end - 1``."""

    start: int
    end: int
    z: float


def seek(green: npt.NDArray[np.bool_], gamma: float, level: float) -> list[Segment]:
    """Segments that WaterSeeker calls watermarked.

    Args:
        green: of n tokens in a row, (n,).
        gamma: probability that a token of unmarked text is green.
        level: what its authors call the targeted false positive rate.
    """
    before = np.concatenate([[0], np.cumsum(green)])
    segments = []
    for first, last in suspicious(green):
        starts = np.arange(first, first + WINDOW)[:, None]
        ends = np.arange(last, last - WINDOW, -1)[None, :]
        lengths = ends - starts
        fits = (lengths >= SHORTEST) & (ends <= len(green))
        if not fits.any():
            continue
        counts = before[np.clip(ends, 0, len(green))] - before[np.clip(starts, 0, len(green))]
        sizes = np.where(fits, lengths, SHORTEST)
        z = (counts - gamma * sizes) / np.sqrt(sizes * gamma * (1 - gamma))
        each, where = np.unique(sizes, return_inverse=True)
        limits = np.array([z_above(size, gamma, level) for size in each.tolist()])
        passes = fits & (z > limits[where.reshape(sizes.shape)])
        if passes.any():
            row, column = np.unravel_index(np.argmax(np.where(passes, z, -np.inf)), z.shape)
            segments.append(Segment(int(starts[row, 0]), int(ends[0, column]), float(z[row, column])))
    return segments


def suspicious(green: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of runs of windows with many green tokens, where they are long enough."""
    if len(green) < WINDOW:
        return []
    sums = np.concatenate([[0], np.cumsum(green)])
    shares = (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW
    mean = float(shares.mean())
    highest = float(np.sort(shares)[-TOP:].mean())
    windows = np.flatnonzero(shares > mean + SHARE * (highest - mean))
    runs = np.split(windows, np.flatnonzero(np.diff(windows) > GAP) + 1)
    bounds = [(int(run[0]), int(run[-1]) + WINDOW - 1) for run in runs if len(run)]
    return [(start, end) for start, end in bounds if end - start >= SHORTEST]


@lru_cache(maxsize=4096)
def z_above(size: int, gamma: float, level: float) -> float:
    """The z that a segment of ``size`` tokens has to exceed."""
    from scipy.stats import binom, norm  # slow to import

    if size >= NORMAL:
        return float(norm.isf(level))
    most = float(binom.isf(level, size, gamma))  # P(more than so many green) <= level
    return (most - gamma * size) / float(np.sqrt(size * gamma * (1 - gamma)))
