"""How a code is written: which of its symbols a token's seed holds.

A message is encoded as n symbols (``reed_solomon.py``). Block j is the tokens whose seeds hold symbol j. A
token's seed chooses its block, whoever reads it, edits or not::

    block = mix(seed, 2**32 - 1) * n >> 32                                  (mix: docs/hashing.md)
    seed' = finaliser(seed + (symbol + 1) * 0x9E3779B97F4A7C15)             (SplitMix64's, mod 2**64)

For one seed, different symbols have different seeds: draws under them are as independent as keys' are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.api import mix

GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

_CHOOSES = np.int64(2**32 - 1)


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
