"""SynthID-Text's hash of n-grams: a linear congruential generator over 64-bit integers that wrap around.

Defined by ``accumulate_hash`` and ``compute_ngram_keys`` of the package synthid-text 0.2.1, which
transformers' ``SynthIDTextWatermarkLogitsProcessor`` repeats: start at 1; for each id, then for the key of a
layer, add it, multiply and add 1. What a table of ``2**b`` bits is asked for are the low b bits of it.

In them a layer's key is a shift: the index is ``M * hash + (M * key + 1)``. So n-grams whose hashes are equal
modulo the table's size share the bits of all layers under every key (:func:`coins`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MULTIPLIER = 6364136223846793005
"""The multiplier of the generator, as in newlib and musl."""

_M = np.uint64(MULTIPLIER)
_ONE = np.uint64(1)

Words = npt.NDArray[np.uint64]


def context_hashes(contexts: npt.NDArray[np.int64]) -> Words:
    """Hashes (n,) of contexts (n, width), oldest id first."""
    hashes = np.ones(len(contexts), dtype=np.uint64)
    for column in contexts.T:
        hashes = ngram_hashes(hashes, column)
    return hashes


def ngram_hashes(hashes: Words, tokens: npt.NDArray[np.int64]) -> Words:
    """Hashes (n,) of what was hashed so far, (n,), and one id more, (n,)."""
    return (hashes + tokens.astype(np.uint64)) * _M + _ONE


def coins(hashes: Words, size: int) -> Words:
    """Numbers of n-grams, (n,) -> (n,): where they are equal, so are the bits of all layers.

    Args:
        hashes: of n-grams.
        size: of the sampling table, a power of two.
    """
    return hashes * _M & np.uint64(size - 1)


def shifts(keys: Words, size: int) -> Words:
    """What each layer's key adds to a coin, (depth,) -> (depth,)."""
    return (keys * _M + _ONE) & np.uint64(size - 1)


def g_values(hashes: Words, keys: Words, table: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Bits of n-grams in each layer, (n, depth).

    Args:
        hashes: of n-grams, (n,).
        keys: of the layers, (depth,), negative ones as two's complements.
        table: bits, (size,), size a power of two.
    """
    size = len(table)
    index = coins(hashes, size)[:, None] + shifts(keys, size)
    return table[(index & np.uint64(size - 1)).astype(np.intp)]


def words(keys: Words, table: npt.NDArray[np.uint8]) -> Words:
    """The bits of every coin, layer l as bit l of a word, (size,): with it, an n-gram costs one look.

    Args:
        keys: of at most 64 layers.
        table: bits, (size,), size a power of two.
    """
    packed = np.zeros(len(table), dtype=np.uint64)
    for layer, shift in enumerate(shifts(keys, len(table)).tolist()):
        packed |= np.roll(table, -shift).astype(np.uint64) << np.uint64(layer)
    return packed
