"""64-bit keys of contexts: one for each suffix, made from the key of the next shorter one, and undone again.

The key of a context is ``mix(key of its suffix + hash of the unit before it)``. ``mix`` is a permutation, the
finaliser of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators",
section 4), so a key and its unit give the key of the suffix. Of n contexts of one length any two are confused
with probability ``n^2 / 2^65``, 0.03 for a thousand million; one then has the observations of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]

ROOT = 0x9E3779B97F4A7C15
"""Key of the empty context."""

PARTS = 256
"""Parts that the keys of each length are split into, by their first byte."""

FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
FIRST_UNDONE, SECOND_UNDONE = (np.uint64(pow(int(one), -1, 1 << 64)) for one in (FIRST, SECOND))


def unit_hashes(units: Sequence[str]) -> Keys:
    """64 bits of BLAKE2b for each character, tag or word: (n,)."""
    digests = b"".join(blake2b(unit.encode(), digest_size=8).digest() for unit in units)
    hashes: Keys = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    return hashes


def longer(keys: Keys, hashes: Keys) -> Keys:
    """Keys of the contexts with one unit more in front; both (n,)."""
    mixed: Keys = keys + hashes
    mixed ^= mixed >> np.uint64(30)
    mixed *= FIRST
    mixed ^= mixed >> np.uint64(27)
    mixed *= SECOND
    mixed ^= mixed >> np.uint64(31)
    return mixed


def shorter(keys: Keys, hashes: Keys) -> Keys:
    """Keys of the contexts without their first unit: undoes :func:`longer`."""
    mixed: Keys = keys ^ (keys >> np.uint64(31)) ^ (keys >> np.uint64(62))
    mixed *= SECOND_UNDONE
    mixed ^= (mixed >> np.uint64(27)) ^ (mixed >> np.uint64(54))
    mixed *= FIRST_UNDONE
    mixed ^= (mixed >> np.uint64(30)) ^ (mixed >> np.uint64(60))
    mixed -= hashes
    return mixed


def parts_of(keys: Keys) -> npt.NDArray[np.uint8]:
    """The part that each key lies in."""
    parts: npt.NDArray[np.uint8] = (keys >> np.uint64(56)).astype(np.uint8)
    return parts
