"""How a code is written: which of its bits a token's seed holds.

A code stands for a message (``permutation.py``). One of at most 16 bits is one block: every token's seed
holds all of it. A longer one, of S bytes, has S blocks: block j is bytes j and j + 1 (the last with the
first), so each byte is in two blocks, and what one loses the other brings back. A token's seed chooses its
block, whoever reads it, edits or not::

    block = mix(seed, 2**32 - 1) * S >> 32                                  (mix: docs/hashing.md)
    seed' = finaliser(seed + (value + 1) * 0x9E3779B97F4A7C15)              (SplitMix64's, mod 2**64)

For one seed, different values have different seeds: draws under them are as independent as keys' are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.api import mix

BLOCK_BITS = 16
"""Of a block, at most: all its values are tried."""

BYTE = 8
"""Bits that two blocks share."""

GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

_CHOOSES = np.int64(2**32 - 1)


def blocks_of_bits(bits: int) -> int:
    """How many blocks a code of so many bits has."""
    return 1 if bits <= BLOCK_BITS else bits // BYTE


def values_of_block(bits: int) -> int:
    """How many values a block can have."""
    return 1 << min(bits, BLOCK_BITS)


def block_values(code: int, bits: int) -> npt.NDArray[np.uint64]:
    """The value of each block, (S,)."""
    count = blocks_of_bits(bits)
    if count == 1:
        return np.array([code], dtype=np.uint64)
    content = code.to_bytes(count, "big")
    pairs = [content[n] << BYTE | content[(n + 1) % count] for n in range(count)]
    return np.array(pairs, dtype=np.uint64)


def chosen_blocks(seeds: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.intp]:
    """The block that each seed holds, (n,) -> (n,)."""
    if count == 1:
        return np.zeros(len(seeds), dtype=np.intp)
    numbers = mix(seeds, np.full(len(seeds), _CHOOSES)).astype(np.uint64)
    return (numbers * np.uint64(count) >> np.uint64(32)).astype(np.intp)


def seeds_of_values(seeds: npt.NDArray[np.uint64], values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The seeds that hold these values; the two broadcast."""
    with np.errstate(over="ignore"):
        x = seeds + (values + np.uint64(1)) * np.uint64(GOLDEN)
        x = (x ^ x >> np.uint64(30)) * np.uint64(FIRST)
        x = (x ^ x >> np.uint64(27)) * np.uint64(SECOND)
    return np.asarray(x ^ x >> np.uint64(31))
