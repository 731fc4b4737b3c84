"""The distribution of a sum of weighted coins, coin after coin, in numpy or compiled: to the same bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stela_core.statistics.added_coins import Floats, add_coins
from stela_core.statistics.binomial import known_pmf
from stela_core.statistics.lazy_compiled import LazyCompiled

Adding = Callable[[Floats, npt.NDArray[np.int64], int, int, int, float, float], tuple[float, float]]


def convolved(
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
    return ADDING.run(band, others, limit, floor, top, reached, gamma)


def compiled_adding() -> Adding | None:
    """:func:`.add_coins` compiled, where it gives the same bits here; ``None`` where it does not.

    Raises:
        ImportError: numba is not installed, or not beside this numpy.
    """
    from stela_core.statistics.added_coins_compiled import add_coins_compiled

    random = np.random.default_rng(0)
    for limit, floor in ((1, 1), (900, 899), (9_000, 8_999), (9_000, 9_000)):
        band, others = random.random(limit), random.integers(1, 2 * limit // 9 + 2, 60)
        given = others, limit, floor, limit // 2 + 1, 0.25, 0.4
        if add_coins_compiled(band.copy(), *given) != add_coins(band, *given):
            return None
    return add_coins_compiled


ADDING: LazyCompiled[Adding] = LazyCompiled(add_coins, compiled_adding)
