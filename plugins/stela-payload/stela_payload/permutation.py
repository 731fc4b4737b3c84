"""A keyed permutation of all messages: what is encoded looks random, whatever the messages look like.

Customers' numbers have a structure: two counters share most of their bytes, and a text that mixes them would
support a third one in every block. So a message is first turned into a *code*, another number of as many
bits, by a Feistel network of :data:`ROUNDS` rounds (Feistel 1973; Luby and Rackoff 1988) whose halves may
differ by a bit. With L the lower ``ceil(bits / 2)`` bits and H the others, round r = 0, 1, ... is::

    k_r = BLAKE2b(digest_size=8, key=key as 8 bytes, person="stela/message/1", data=r as 4 bytes)
    L ^= mix(k_r, H)  for even r,  H ^= mix(k_r, L)  for odd r      (mix: docs/hashing.md; its lowest bits)

All is little-endian. Each round is its own inverse, so messages come back for every number of bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from stela_core.api import mix

ROUNDS = 8
PERSON = b"stela/message/1"

Numbers = npt.NDArray[np.uint64]


@lru_cache(maxsize=64)
def round_keys(key: int) -> tuple[int, ...]:
    """The keys of the rounds, 64 bits each, of a mark's key."""
    words = key.to_bytes(8, "little")
    hashed = [
        blake2b(n.to_bytes(4, "little"), digest_size=8, key=words, person=PERSON) for n in range(ROUNDS)
    ]
    return tuple(int.from_bytes(one.digest(), "little") for one in hashed)


def codes_of(messages: Numbers, bits: int, key: int) -> Numbers:
    """The code of each message, (n,) -> (n,)."""
    return _through(range(ROUNDS), messages, bits, key)


def messages_of(codes: Numbers, bits: int, key: int) -> Numbers:
    """The message of each code: the inverse of :func:`codes_of`."""
    return _through(reversed(range(ROUNDS)), codes, bits, key)


def message_of(code: int, bits: int, key: int) -> int:
    """The message of one code."""
    return int(messages_of(np.array([code], dtype=np.uint64), bits, key)[0])


def _through(rounds: Iterable[int], numbers: Numbers, bits: int, key: int) -> Numbers:
    keys, low_bits = round_keys(key), np.uint64((bits + 1) // 2)
    low_mask = (np.uint64(1) << low_bits) - np.uint64(1)
    high_mask = (np.uint64(1) << np.uint64(bits // 2)) - np.uint64(1)
    low, high = numbers & low_mask, numbers >> low_bits
    for number in rounds:
        if number % 2:
            high = high ^ _mixed(keys[number], low) & high_mask
        else:
            low = low ^ _mixed(keys[number], high) & low_mask
    return np.asarray(high << low_bits | low)


def _mixed(key: int, halves: Numbers) -> Numbers:
    seeds = np.full(len(halves), key, dtype=np.uint64)
    return np.asarray(mix(seeds, halves.astype(np.int64)), dtype=np.uint64)
