"""The bits of a text under many keys: n-grams are hashed once, and each key's layers shift the table."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from stela_kernels.many_keys import keyed_seeds_under

from stela_core.api import dots
from stela_synthid.layer_keys import layer_keys, require_apart

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

LOADING = 20_000_000
"""Bits that numpy looks up in the time that numba takes to load."""


def layer_keys_under(keys: Sequence[int], depth: int, derived: bool, size: int) -> Words:
    """:func:`.layer_keys` of each key, (keys, depth); ``size`` is the table's.

    Raises:
        stela.StelaError: layers of a key that holds them all share their bits.
    """
    if derived:
        return keyed_seeds_under(keys, np.arange(depth, dtype=np.int64)[:, None])
    held = [layer_keys(key, depth, derived) for key in keys]
    for own in held:
        require_apart(own, size)
    return np.array(held, dtype=np.uint64)


def weighted_bits(coins: Words, shifts: Words, table: npt.NDArray[np.uint8], weights: Floats) -> Floats:
    """The weights of all bits that are 1, (keys,).

    Args:
        coins: of the n-grams, (n,).
        shifts: what each key's layers add to a coin, (keys, depth).
        table: bits, (size,), size a power of two.
        weights: of the bits, (n, depth).
    """
    bits = len(coins) * shifts.size
    if bits >= (1 if "numba" in sys.modules else LOADING):
        try:
            from stela_synthid.compiled_bits import add_bits
        except ImportError:  # numba is not installed, or not beside this numpy
            pass
        else:
            sums = np.zeros(len(shifts))
            add_bits(coins, shifts, table, weights, sums)
            return sums
    return by_numpy(coins, shifts, table, weights)


def by_numpy(coins: Words, shifts: Words, table: npt.NDArray[np.uint8], weights: Floats) -> Floats:
    """:func:`weighted_bits` key after key."""
    mask, flat = np.uint64(len(table) - 1), weights.ravel()
    sums = np.empty(len(shifts))
    for number, own in enumerate(shifts):
        places = (coins[:, None] + own & mask).astype(np.intp)
        sums[number] = dots(table[places].reshape(1, -1), flat)[0]
    return sums
