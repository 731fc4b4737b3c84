"""The distribution of a sum of weighted coins, coin after coin, in numpy or compiled: to the same bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

import numpy as np
import numpy.typing as npt

from stela_core.catalogue import mark_kernels
from stela_core.statistics.added_coins import Floats, add_coins
from stela_core.statistics.binomial import known_pmf

Adding = Callable[[Floats, npt.NDArray[np.int64], int, int, int, float, float], tuple[float, float]]


def convolution(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], limit: int, floor: int, gamma: float
) -> tuple[float, float]:
    """P(S >= ``limit``), and P(S = ``floor``) where floor is below limit, else 0.0.

    Sums that cannot reach ``floor``, which is at most ``limit``, are dropped.

    Args:
        values: distinct whole weights, (d,), ascending, at least 1.
        counts: number of coins of each, (d,), at least 1.
        limit: at least 1.
        floor: at least 1.
        gamma: probability that a coin is green.
    """
    common = int(np.argmax(counts))
    step, count = int(values[common]), int(counts[common])
    pmf = known_pmf(count, gamma)
    first = -(-limit // step)
    reached = float(pmf[first:].sum())
    band = np.zeros(limit)
    below = pmf[:first]
    band[: step * len(below) : step] = below
    top = min(limit, step * count + 1)
    rarer = np.arange(len(values)) != common
    others = values[rarer].repeat(counts[rarer]).astype(np.int64)
    return _adding()(band, others, limit, floor, top, reached, gamma)


@cache
def _adding() -> Adding:
    """The function :func:`.add_coins`, or what stela-kernels has in its place, which gives the same bits."""
    kernels = mark_kernels()
    return add_coins if kernels is None else cast("Adding", kernels.compiled_adding(add_coins))
