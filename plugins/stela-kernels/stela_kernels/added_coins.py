"""Weighted coins added to a distribution: by numpy, or compiled once that is worth it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stela_kernels.lazy_compiled import LazyCompiled

Adding = Callable[
    [npt.NDArray[np.float64], npt.NDArray[np.int64], int, int, int, float, float], tuple[float, float]
]


def compiled_adding(plain: Adding) -> Adding:
    """The definition, by numpy, or the compiled function in its place once that is worth it.

    Args:
        plain: the core's ``add_coins``.
    """
    return LazyCompiled(plain, lambda: same_adding(plain))


def same_adding(plain: Adding) -> Adding | None:
    """The compiled function, where it gives the same bits here; ``None`` where it does not.

    Raises:
        ImportError: numba is not installed, or does not work with this numpy.
    """
    from stela_kernels.compiled_coins import add_coins_compiled

    random = np.random.default_rng(0)
    for limit, floor in ((1, 1), (900, 899), (9_000, 8_999), (9_000, 9_000)):
        band, others = random.random(limit), random.integers(1, 2 * limit // 9 + 2, 60)
        given = others, limit, floor, limit // 2 + 1, 0.25, 0.4
        if add_coins_compiled(band.copy(), *given) != plain(band, *given):
            return None
    compiled: Adding = add_coins_compiled
    return compiled
