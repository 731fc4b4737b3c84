"""vLLM's hash (``philox4x32-10-v1``): a context's ids to a state, state and token to 24 bits.

Read in vLLM 0.32, ``vllm/v1/watermarking/prfs/philox.py`` and ``vllm/config/watermarking.py``. With key
halves (k0, k1), a context of w ids (uint32; -1, before the text, is 2**32 - 1) and a token t::

    s = (0x574D4358, w, 0, 0)
    for o = 0, 4, ..:  b_i = context[o + i], past the end 2**32 - 1 - i
                       s = philox(s ^ b, (k0 ^ o, k1))
    out = philox((t >> 2, s0, s1, s2), (k0 ^ s3, k1 ^ 0x574D544B));  m = out[t & 3] >> 8

m is uniform in 0 .. 2**24 - 1, and vLLM's uniform is the float32 next to ``(m + 1) / (2**24 + 1)``.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt

from stela_gumbel.philox import Words, philox4x32

BITS = 24
"""Of a token's number."""

CONTEXT_DOMAIN = 0x574D4358
TOKEN_DOMAIN = 0x574D544B
_LOW = 0xFFFFFFFF


def derived_keys(key: int) -> tuple[int, int]:
    """Keys A and B of a dual key: 64 bits of SHA-256 each."""
    content = key.to_bytes(8, "big")
    a, b = (int.from_bytes(sha256(name + content).digest()[:8], "big") for name in (b"key_a", b"key_b"))
    return a, b


def states(key: int, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The states of contexts (n, w), as (n, 2): ``s0 + 2**32 s1`` and ``s2 + 2**32 s3``."""
    count, width = contexts.shape
    ids = contexts.astype(np.uint32).astype(np.uint64).T
    state = np.zeros((4, count), dtype=np.uint64)
    state[0], state[1] = CONTEXT_DOMAIN, width
    for offset in range(0, width, 4):
        block = np.arange(_LOW, _LOW - 4, -1, dtype=np.uint64)[:, None].repeat(count, axis=1)
        given = ids[offset : offset + 4]
        block[: len(given)] = given
        state = philox4x32(state ^ block, _key(key, offset, 0))
    return np.ascontiguousarray((state[0::2] | state[1::2] << np.uint64(32)).T)


def token_counters(seeds: npt.NDArray[np.uint64], key: int) -> tuple[Words, Words]:
    """Counters (4, n), of which the first word waits for the token, and keys (2, n) of states (n, 2)."""
    low, high = seeds & np.uint64(_LOW), seeds >> np.uint64(32)
    count = len(seeds)
    counters = np.empty((4, count), dtype=np.uint64)
    counters[1], counters[2], counters[3] = low[:, 0], high[:, 0], low[:, 1]
    keys = np.empty((2, count), dtype=np.uint64)
    keys[0], keys[1] = high[:, 1] ^ np.uint64(key & _LOW), key >> 32 ^ TOKEN_DOMAIN
    return counters, keys


def numbers(key: int, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """The numbers m (n,) of tokens (n,) under states (n, 2), below 2**24."""
    counters, keys = token_counters(seeds, key)
    ids = tokens.astype(np.uint32)
    counters[0] = ids >> np.uint32(2)
    words = philox4x32(counters, keys)
    own: npt.NDArray[np.uint32] = (words[ids & np.uint32(3), np.arange(len(ids))] >> np.uint64(8)).astype(
        np.uint32
    )
    return own


def uniforms(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
    """The uniforms as vLLM rounds them; shaped like the numbers."""
    return ((numbers + 1.0) / (2**24 + 1)).astype(np.float32)


def _key(key: int, low: int, high: int) -> Words:
    return np.array([[key & _LOW ^ low], [key >> 32 ^ high]], dtype=np.uint64)
