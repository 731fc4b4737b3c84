"""SBW's green ids of a row in one pass over the vocabulary, compiled by numba.

Imported where logits are marked on a host with numba (``sbw.py``), never by detection.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_kernels.passes import compile_kept
from stela_kernels.philox.philox import MULTIPLIERS, ROUNDS, WEYL

u8 = np.uint64
_M0, _M1 = u8(MULTIPLIERS[0]), u8(MULTIPLIERS[1])
_W0, _W1 = u8(WEYL[0]), u8(WEYL[1])
_LOW, _HALF = u8(0xFFFFFFFF), u8(32)


@compile_kept
def green_row(
    hashes: Any, before: Any, key: Any, seed: Any, salted: Any, limit: Any, out: Any
) -> None:  # pragma: no cover (compiled)
    """Set ``out[v]`` (width,) for each id v.

    Args:
        hashes: h of the ids, (width,), int64; not read unless ``salted``.
        before: h of the context's ids, (width of the context,), int64.
        key: int64.
        seed: uint64, of all ids unless ``salted``.
        salted: whether each id has a separate seed.
        limit: a word's low 31 bits are below it where the id is green.
        out: bool.
    """
    own = seed
    c0 = c1 = c2 = c3 = u8(0)
    for v in range(len(out)):
        place = v & 3
        if salted:
            factor = key * hashes[v]
            least = factor * hashes[v]
            for h in before:
                least = min(least, factor * h)
            own = u8(least)
        if salted or place == 0:  # of one seed, four ids share a block
            k0, k1 = own & _LOW, own >> _HALF
            c0, c1, c2, c3 = u8(v >> 2), u8(0), u8(0), u8(0)
            for _ in range(ROUNDS):
                even, other = c0 * _M0, c2 * _M1
                c0, c1 = (other >> _HALF) ^ c1 ^ k0, other & _LOW
                c2, c3 = (even >> _HALF) ^ c3 ^ k1, even & _LOW
                k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
        word = c0 if place == 0 else c1 if place == 1 else c2 if place == 2 else c3
        out[v] = (word & u8(0x7FFFFFFF)) < limit
