"""The definition of green (docs/hashing.md) in plain integers, to hold what is faster to."""

from __future__ import annotations

from stela_core.api import threshold

_MASK = 0xFFFFFFFF


def mix_reference(seed: int, token: int) -> int:
    """The definition in plain integers: the number in 0 .. 2**32 - 1 of one token under one seed."""
    x = (token ^ seed) & _MASK
    x ^= x >> 17
    x = x * 0xED5AD4BB & _MASK
    x ^= seed >> 32
    x ^= x >> 11
    x = x * 0xAC4C1B51 & _MASK
    x ^= x >> 15
    x = x * 0x31848BAB & _MASK
    return x ^ x >> 14


def green_reference(seed: int, token: int, gamma: float) -> bool:
    """The definition in plain integers: whether one token is green under one seed."""
    return mix_reference(seed, token) < threshold(gamma)
