"""Compiled passes of ``scores.py`` and ``choosing.py``; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

from stela_payload.blocks import FIRST, GOLDEN, SECOND

u4, u8 = np.uint32, np.uint64


@numba.njit(inline="always")
def _changed(seed: Any, value: Any) -> Any:
    x = u8(seed + u8(value + u8(1)) * u8(GOLDEN))
    x = u8((x ^ (x >> u8(30))) * u8(FIRST))
    x = u8((x ^ (x >> u8(27))) * u8(SECOND))
    return u8(x ^ (x >> u8(31)))


@numba.njit(inline="always")
def _number(seed: Any, value: Any, token: Any) -> Any:
    x = _changed(seed, value)
    return mixed_number(u4(token), u4(x), u4(x >> u8(32)))


@compile_kept
def changed_seeds(seeds: Any, values: Any) -> Any:
    """``blocks.seeds_of_values`` of each seed's block: values (S, n), or (S, 1) of one message."""
    count, messages = values.shape
    out = np.empty_like(seeds)
    for n in range(len(seeds)):
        seed = seeds[n]
        number = u8(mixed_number(u4(0xFFFFFFFF), u4(seed), u4(seed >> u8(32))))
        block = np.int64(u8(number * u8(count)) >> u8(32))
        out[n] = _changed(seed, u8(values[block, n if messages > 1 else 0]))
    return out


@compile_kept
def add_green(seeds: Any, tokens: Any, stakes: Any, blocks: Any, below: Any, scores: Any) -> None:
    """Add each token's stake to the values under which it is green."""
    for n in range(len(seeds)):
        row, seed, token, stake = scores[blocks[n]], seeds[n], tokens[n], stakes[n]
        for value in range(row.shape[0]):
            row[value] += stake if _number(seed, u8(value), token) < below else np.float32(0)


@compile_kept
def add_exponential(seeds: Any, tokens: Any, stakes: Any, blocks: Any, table: Any, scores: Any) -> None:
    """Add each token's stake times its draw under each value."""
    for n in range(len(seeds)):
        row, seed, token, stake = scores[blocks[n]], seeds[n], tokens[n], stakes[n]
        for value in range(row.shape[0]):
            row[value] += stake * table[_number(seed, u8(value), token) >> u4(16)]


@compile_kept
def best_round(scores: Any, first: int) -> tuple[Any, Any]:
    """The best round of bytes that begins with this one: its score, and the bytes (S,).

    Args:
        scores: (S, 256, 256) of byte j and byte j + 1.
        first: byte 0.
    """
    count = scores.shape[0]
    best = scores[0, first].copy()
    came = np.zeros((count, 256), dtype=np.uint8)
    for n in range(1, count - 1):
        new = np.full(256, np.float32(-np.inf), dtype=np.float32)
        for before in range(256):
            start, row = best[before], scores[n, before]
            for after in range(256):
                total = start + row[after]
                if total > new[after]:
                    new[after] = total
                    came[n, after] = before
        best = new
    top, last = np.float32(-np.inf), 0
    for before in range(256):
        total = best[before] + scores[count - 1, before, first]
        if total > top:
            top, last = total, before
    content = np.zeros(count, dtype=np.uint8)
    content[0] = first
    for n in range(count - 1, 0, -1):
        content[n] = last
        last = came[n - 1, last]
    return top, content


@compile_kept
def best_of_all(scores: Any) -> Any:
    """The best of all rounds: its bytes, (S,)."""
    top, content = np.float32(-np.inf), np.zeros(scores.shape[0], dtype=np.uint8)
    for first in range(256):
        total, own = best_round(scores, first)
        if total > top:
            top, content = total, own
    return content
