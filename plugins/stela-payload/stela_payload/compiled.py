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
