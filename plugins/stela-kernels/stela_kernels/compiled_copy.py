"""Copying of arrays in compiled functions; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numba


def _copy(source: Any, target: Any) -> None:
    """Write ``source`` (n,) to ``target`` (n, or more).

    A loop, because numba compiles the error message of ``target[:] = source`` along with it: four seconds.
    """
    for i in range(source.shape[0]):
        target[i] = source[i]


copy = numba.njit(inline="always")(_copy)
