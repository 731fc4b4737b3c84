"""vLLM's hash (``philox4x32-10-v1``): a context's ids to a state, state and token to a word of 32 bits.

Read in vLLM 0.32, ``vllm/v1/watermarking/prfs/philox.py``, and for streams in its main branch (commit
373305d65c78). With key halves (k0, k1), a context of w ids (uint32; -1, before the text, is 2**32 - 1) and a
token t::

    s = (0x574D4358, w, 0, 0)
    for o = 0, 4, ..:  b_i = context[o + i], past the end 2**32 - 1 - i
                       s = philox(s ^ b, (k0 ^ o, k1))
    out = philox((t >> 2, s0, s1, s2), (k0 ^ s3 ^ high(stream), k1 ^ 0x574D544B ^ low(stream)));  out[t & 3]

Before streams there was stream 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_kernels.philox.philox import Words, philox4x32

CONTEXT_DOMAIN = 0x574D4358
TOKEN_DOMAIN = 0x574D544B
_LOW = 0xFFFFFFFF


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
        keys = np.array([[key & _LOW ^ offset], [key >> 32]], dtype=np.uint64)
        state = philox4x32(state ^ block, keys)
    return np.ascontiguousarray((state[0::2] | state[1::2] << np.uint64(32)).T)


def token_counters(key: int, seeds: npt.NDArray[np.uint64], stream: int = 0) -> tuple[Words, Words]:
    """Counters (4, n), of which the first word waits for the token, and keys (2, n) of states (n, 2)."""
    low, high = seeds & np.uint64(_LOW), seeds >> np.uint64(32)
    count = len(seeds)
    counters = np.empty((4, count), dtype=np.uint64)
    counters[1], counters[2], counters[3] = low[:, 0], high[:, 0], low[:, 1]
    keys = np.empty((2, count), dtype=np.uint64)
    keys[0] = high[:, 1] ^ np.uint64(key & _LOW ^ stream >> 32)
    keys[1] = key >> 32 ^ TOKEN_DOMAIN ^ stream & _LOW
    return counters, keys


def token_words(
    key: int, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64], stream: int = 0
) -> npt.NDArray[np.uint32]:
    """The words (n,) of tokens (n,) under states (n, 2)."""
    ids = tokens.astype(np.uint32)
    out = blocks(key, seeds, ids >> np.uint32(2), stream)
    own: npt.NDArray[np.uint32] = out[ids & np.uint32(3), np.arange(len(ids))].astype(np.uint32)
    return own


def vocabulary_words(
    key: int, seed: npt.NDArray[np.uint64], size: int, stream: int = 0
) -> npt.NDArray[np.uint32]:
    """The same of the ids 0 to size - 1 under one state (2,), (size,): one Philox for four of them."""
    out = blocks(key, seed[None], np.arange((size + 3) // 4, dtype=np.uint32), stream)
    return np.asarray(out.T.reshape(-1)[:size].astype(np.uint32))


def blocks(key: int, seeds: npt.NDArray[np.uint64], fours: npt.NDArray[np.uint32], stream: int = 0) -> Words:
    """Philox's outputs (4, n) of blocks of four tokens, (n,), under states (n, 2) or one, (1, 2)."""
    counters, keys = token_counters(key, seeds, stream)
    if len(seeds) != len(fours):
        counters = counters.repeat(len(fours), axis=1)
    counters[0] = fours
    return philox4x32(counters, keys)
