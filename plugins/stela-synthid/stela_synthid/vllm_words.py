"""vLLM's words of a context and a token: Philox4x32-10, 32 bits a token and block of layers.

Read in vLLM's ``vllm/v1/watermarking/prfs/philox.py`` (commit 373305d65c78) and ``synthid.py``,
before a release. An earlier ``synthid.py`` (0265d6bd674c) had no stream: its bits are others. With key
halves (k0, k1), a context of w ids (uint32; -1, before the text, is 2**32 - 1) and a token t::

    s = (0x574D4358, w, 0, 0)
    for o = 0, 4, ..:  b_i = context[o + i], past the end 2**32 - 1 - i
                       s = philox(s ^ b, (k0 ^ o, k1))
    out = philox((t >> 2, s0, s1, s2), (k0 ^ s3 ^ high(stream), k1 ^ 0x574D544B ^ low(stream)));  out[t & 3]

Layer l is bit ``l % 32`` of the word of stream ``STREAM + l // 32``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

STREAM = 0x53594E54 << 32
"""Keeps these words apart from those of vLLM's Gumbel marks under the same key."""

BITS = 32
"""Of a word."""

CONTEXT_DOMAIN, TOKEN_DOMAIN = 0x574D4358, 0x574D544B
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox4x32(counters: Words, k0: Words, k1: Words) -> Words:
    """The outputs (4, n) of counters (4, n) under keys (n,) or (1,); all words below 2**32.

    Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    c0, c1, c2, c3 = counters
    for _ in range(10):
        even, other = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = other >> _HALF ^ c1 ^ k0, other & _LOW, even >> _HALF ^ c3 ^ k1, even & _LOW
        k0, k1 = k0 + np.uint64(0x9E3779B9) & _LOW, k1 + np.uint64(0xBB67AE85) & _LOW
    return np.stack([c0, c1, c2, c3])


def states(key: int, contexts: npt.NDArray[np.int64]) -> Words:
    """The states of contexts (n, w), as (n, 2): ``s0 + 2**32 s1`` and ``s2 + 2**32 s3``."""
    count, width = contexts.shape
    ids = contexts.astype(np.uint32).astype(np.uint64).T
    state = np.zeros((4, count), dtype=np.uint64)
    state[0], state[1] = CONTEXT_DOMAIN, width
    for offset in range(0, width, 4):
        block = (_LOW - np.arange(4, dtype=np.uint64))[:, None].repeat(count, axis=1)
        given = ids[offset : offset + 4]
        block[: len(given)] = given
        k0, k1 = np.array([key & int(_LOW) ^ offset], np.uint64), np.array([key >> 32], np.uint64)
        state = philox4x32(state ^ block, k0, k1)
    return np.ascontiguousarray((state[0::2] | state[1::2] << _HALF).T)


def words(key: int, seeds: Words, tokens: npt.NDArray[np.int64], depth: int) -> Words:
    """The bits of tokens (n,) under states (n, 2), (n,): layer l in bit l, at most 64 layers."""
    ids = tokens.astype(np.uint32)
    blocks = _blocks(key, seeds, ids >> np.uint32(2), depth)
    return _joined([out[ids & np.uint32(3), np.arange(len(ids))] for out in blocks])


def vocabulary_words(key: int, seed: Words, size: int, depth: int) -> Words:
    """The same of the ids 0 to size - 1 under one state (2,), (size,): one Philox for four of them."""
    fours = np.arange((size + 3) // 4, dtype=np.uint32)
    return _joined([out.T.reshape(-1)[:size] for out in _blocks(key, seed[None], fours, depth)])


def _blocks(key: int, seeds: Words, fours: npt.NDArray[np.uint32], depth: int) -> list[Words]:
    """Philox's outputs (4, n) for each block of ``BITS`` layers."""
    low, high = seeds & _LOW, seeds >> _HALF
    counters = np.empty((4, len(fours)), dtype=np.uint64)
    counters[0], counters[1], counters[2], counters[3] = fours, low[:, 0], high[:, 0], low[:, 1]
    outputs = []
    for block in range(-(-depth // BITS)):
        stream = STREAM | block
        k0 = high[:, 1] ^ np.uint64(key & int(_LOW) ^ stream >> 32)
        k1 = np.array([key >> 32 ^ TOKEN_DOMAIN ^ stream & int(_LOW)], dtype=np.uint64)
        outputs.append(philox4x32(counters, k0, k1))
    return outputs


def _joined(parts: list[Words]) -> Words:
    return parts[0] if len(parts) == 1 else parts[0] | parts[1] << _HALF
