"""BLAKE2b of short messages under many keys (RFC 7693, 3.2), compiled; importing this needs numba.

The words of a message are laid out once, in the order in which its 12 rounds take them, with ``LANES``
messages next to each other. Every key then runs over them with the same operations on all lanes, as SIMD
registers do.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from stela_kernels.passes import compile_kept

u8 = np.uint64

IV = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    dtype=np.uint64,
)
"""The initial values of the algorithm (2.6)."""

_ROUNDS = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
ORDER = np.array(_ROUNDS + _ROUNDS[:2], dtype=np.int64).reshape(-1)
"""Which word of the message each step takes (2.7), (12 x 16,)."""

LANES = 32
"""Messages next to each other: four AVX-512 registers, whose steps do not wait for each other."""

BLOCK = 128
"""Bytes of a block."""

LAST = 0xFFFFFFFFFFFFFFFF
"""Flag of a message's last block."""


@numba.njit(inline="always")
def _turned(x: Any, bits: int) -> Any:
    return u8((x >> u8(bits)) | (x << u8(64 - bits)))


@numba.njit(inline="always")
def _g(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any) -> Any:
    """The mixing function G (3.1)."""
    a = u8(a + b + x)
    d = _turned(u8(d ^ a), 32)
    c = u8(c + d)
    b = _turned(u8(b ^ c), 24)
    a = u8(a + b + y)
    d = _turned(u8(d ^ a), 16)
    c = u8(c + d)
    b = _turned(u8(b ^ c), 63)
    return a, b, c, d


@numba.njit(inline="always")
def _rounds(v: Any, words: Any) -> None:
    """The 12 rounds on states v, (16 x LANES,), with the words as :func:`_lay_out` puts them."""
    for number in range(12):
        x = words[number * 16 * LANES : (number + 1) * 16 * LANES]
        for n in range(LANES):
            v0, v1, v2, v3 = v[n], v[LANES + n], v[2 * LANES + n], v[3 * LANES + n]
            v4, v5, v6, v7 = v[4 * LANES + n], v[5 * LANES + n], v[6 * LANES + n], v[7 * LANES + n]
            v8, v9, v10, v11 = v[8 * LANES + n], v[9 * LANES + n], v[10 * LANES + n], v[11 * LANES + n]
            v12, v13, v14, v15 = v[12 * LANES + n], v[13 * LANES + n], v[14 * LANES + n], v[15 * LANES + n]
            v0, v4, v8, v12 = _g(v0, v4, v8, v12, x[n], x[LANES + n])
            v1, v5, v9, v13 = _g(v1, v5, v9, v13, x[2 * LANES + n], x[3 * LANES + n])
            v2, v6, v10, v14 = _g(v2, v6, v10, v14, x[4 * LANES + n], x[5 * LANES + n])
            v3, v7, v11, v15 = _g(v3, v7, v11, v15, x[6 * LANES + n], x[7 * LANES + n])
            v0, v5, v10, v15 = _g(v0, v5, v10, v15, x[8 * LANES + n], x[9 * LANES + n])
            v1, v6, v11, v12 = _g(v1, v6, v11, v12, x[10 * LANES + n], x[11 * LANES + n])
            v2, v7, v8, v13 = _g(v2, v7, v8, v13, x[12 * LANES + n], x[13 * LANES + n])
            v3, v4, v9, v14 = _g(v3, v4, v9, v14, x[14 * LANES + n], x[15 * LANES + n])
            v[n], v[LANES + n], v[2 * LANES + n], v[3 * LANES + n] = v0, v1, v2, v3
            v[4 * LANES + n], v[5 * LANES + n], v[6 * LANES + n], v[7 * LANES + n] = v4, v5, v6, v7
            v[8 * LANES + n], v[9 * LANES + n], v[10 * LANES + n], v[11 * LANES + n] = v8, v9, v10, v11
            v[12 * LANES + n], v[13 * LANES + n], v[14 * LANES + n], v[15 * LANES + n] = v12, v13, v14, v15


@numba.njit(inline="always")
def _lay_out(messages: Any, start: int, words: Any) -> None:
    """The words of the messages from ``start`` on as the rounds take them; past the end, the last again."""
    last = len(messages) - 1
    for place in range(len(ORDER)):
        word = ORDER[place]
        for n in range(LANES):
            given = word < messages.shape[1]
            words[place * LANES + n] = messages[min(start + n, last), word] if given else u8(0)


@compile_kept
def blocks_hashed(states: Any, messages: Any, size: int, flag: Any, out: Any) -> None:
    """The compression function F (3.2) of one block of each message after each state.

    Args:
        states: (s, 8), uint64.
        messages: words of the blocks, (m, at most 16); those that are left out are 0. m is at least 1.
        size: bytes hashed up to the end of the block.
        flag: ``LAST`` or 0, uint64.
        out: filled with the first words of what comes out, (s, m, at most 8).
    """
    words, v = np.empty(len(ORDER) * LANES, dtype=np.uint64), np.empty(16 * LANES, dtype=np.uint64)
    for start in range(0, len(messages), LANES):
        _lay_out(messages, start, words)
        many = min(LANES, len(messages) - start)
        for s in range(len(states)):
            for i in range(8):
                for n in range(LANES):
                    v[i * LANES + n] = states[s, i]
                    v[(i + 8) * LANES + n] = IV[i]
            for n in range(LANES):
                v[12 * LANES + n] ^= u8(size)
                v[14 * LANES + n] ^= flag
            _rounds(v, words)
            for i in range(out.shape[2]):
                for n in range(many):
                    out[s, start + n, i] = states[s, i] ^ v[i * LANES + n] ^ v[(i + 8) * LANES + n]
