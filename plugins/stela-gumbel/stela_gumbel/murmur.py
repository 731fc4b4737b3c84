"""MurmurHash3 x86_32 (A. Appleby, public domain) of whole 32-bit words, seed 0, over arrays.

``hash_words`` is the hash of 4 L bytes; ``mixed`` and ``finished`` are its two parts, for hashes of which
only the last word changes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]


def mixed(states: Words, words: Words) -> Words:
    """States after one word more; shapes broadcast."""
    return joined(states, scrambled(words))


def scrambled(words: Words) -> Words:
    """What :func:`mixed` makes of words before a state has to do with them; shaped like the words."""
    return _rotated(words * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def joined(states: Words, scrambled: Words) -> Words:
    """States after a scrambled word more; shapes broadcast."""
    return _rotated(states ^ scrambled, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def finished(states: Words, length: int | Words) -> Words:
    """The hash of ``length`` words (each state's own, or one for all) from the states after them."""
    value = states ^ np.asarray(length * 4, dtype=np.uint32)
    value = (value ^ value >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    value = (value ^ value >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return value ^ value >> np.uint32(16)


def hash_words(words: Iterable[Words]) -> Words:
    """The hash of these words, each an array (n,): (n,)."""
    states, length = np.zeros(1, dtype=np.uint32), 0
    for word in words:
        states, length = mixed(states, word), length + 1
    return finished(states, length)


def word(number: int) -> Words:
    """One word, the low 32 bits of a number, as an array (1,): where scalars overflow numpy warns."""
    return np.array([number & 0xFFFFFFFF], dtype=np.uint32)


def _rotated(value: Words, bits: int) -> Words:
    return value << np.uint32(bits) | value >> np.uint32(32 - bits)
