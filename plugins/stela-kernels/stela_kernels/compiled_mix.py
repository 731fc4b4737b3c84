"""The core's mixing function (``hashing/colour.py``) for compiled passes; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

u4 = np.uint32


def _mixed_number(v: Any, low: Any, high: Any) -> Any:
    """The number of a token under the halves of a seed; inlined, so that loops around it are SIMD."""
    # Every result is cast down: numba computes in 64 bits, of which half as many fit into a register.
    x = u4(u4(v) ^ low)
    x = u4(x ^ (x >> u4(17)))
    x = u4(x * u4(0xED5AD4BB))
    x = u4(x ^ high)
    x = u4(x ^ (x >> u4(11)))
    x = u4(x * u4(0xAC4C1B51))
    x = u4(x ^ (x >> u4(15)))
    x = u4(x * u4(0x31848BAB))
    return u4(x ^ (x >> u4(14)))


mixed_number = numba.njit(inline="always")(_mixed_number)
