"""What seeds SBW's draws: the ids before a token, and under ``selfhash`` the token itself.

Read in the package sbw 1.0.0 (``prf.py``, ``batch.py``) and vLLM (``vllm/v1/watermarking/sbw.py``, commit
caaac7c229a6). All products wrap at 64 bits; h is a bijection of 32 bits, read as a signed number.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BITS = 21
"""Bits of an id in a packed context: three of them fill a seed."""

MOST = 3
"""Ids of a context that seed under ``selfhash``."""


def hashed(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """``h`` of ids, any shape, wrapped to 64 bits: B. Jenkins' hash of ``id + 1`` as they write it."""
    i = (ids + 1).astype(np.int32)
    i = i - (i << 6)
    i = i ^ (i >> 17)
    i = i - (i << 9)
    i = i ^ (i << 4)
    i = i - (i << 3)
    i = i ^ (i << 10)
    i = i ^ (i >> 15)
    own: npt.NDArray[np.uint64] = i.astype(np.int64).view(np.uint64)
    return own


def lefthash(key: int, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """``key * sum of the context's ids``, (n, width) -> (n,)."""
    sums: npt.NDArray[np.uint64] = contexts.sum(axis=1).astype(np.uint64)
    return sums * np.uint64(key)


def packed(contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Number that holds a context of at most ``MOST`` ids below ``2**BITS``, (n, width) -> (n,)."""
    out = np.zeros(len(contexts), dtype=np.uint64)
    for column in contexts.T:
        out = (out << np.uint64(BITS)) | column.astype(np.uint64)
    return out


def selfhash(
    key: int, contexts: npt.NDArray[np.uint64], width: int, tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """The least of ``key * h(x) * h(token)``, x over the ids of a packed context and the token.

    (n,), (n,) -> (n,); numbers are compared as signed ones.
    """
    own = hashed(tokens)
    salted = own * np.uint64(key)
    least = (salted * own).view(np.int64)
    for place in range(width):
        ids = contexts >> np.uint64(BITS * place) & np.uint64((1 << BITS) - 1)
        least = np.minimum(least, (salted * hashed(ids.view(np.int64))).view(np.int64))
    return least.view(np.uint64)
