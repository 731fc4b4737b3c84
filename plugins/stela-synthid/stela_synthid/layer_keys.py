"""The keys of SynthID's layers: as many words as layers, or all of them derived from one word."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import seed_of

BITS = 64


def layer_keys(key: int, depth: int, derived: bool) -> npt.NDArray[np.uint64]:
    """Keys of the layers, (depth,).

    Args:
        key: derived: of 64 bits, and layer l has the keyed hash of l; else of ``64 * depth`` bits, the first
            layer's the most significant.
        depth: number of layers.
        derived: which of the two.

    Raises:
        stela.StelaError: the key has more bits. The message does not repeat it: it may be a secret.
    """
    bits = BITS if derived else BITS * depth
    if not 0 <= key < 1 << bits:
        raise stela.StelaError(
            f"the key has more than {bits} bits, SynthID's for {depth} layers has {bits}.",
            f"give {bits // 4} hex digits",
        )
    if derived:
        return np.array([seed_of(key, (layer,)) for layer in range(depth)], dtype=np.uint64)
    return np.frombuffer(key.to_bytes(8 * depth, "big"), dtype=">u8").astype(np.uint64)


def require_apart(keys: npt.NDArray[np.uint64], size: int) -> None:
    """Refuse layers whose keys shift the table by as much: their bits are one draw, and no p-value is right.

    Args:
        keys: of the layers, (depth,).
        size: of the table, a power of two.

    Raises:
        stela.StelaError: two are equal modulo ``size``. The message does not repeat them.
    """
    if len(np.unique(keys & np.uint64(size - 1))) < len(keys):
        raise stela.StelaError(
            f"two layers have keys that are equal modulo the table's size, {size}: their bits are one draw.",
            "take other keys: no p-value of such a mark is right",
        )


def log_choices(depth: int, size: int) -> float:
    """Natural logarithm of the number of marks that keys of ``depth`` layers choose among.

    A key is a shift of one of 2**32 tables of ``size`` bits, and each layer's is chosen for itself: whoever
    knows a text looks at ``size`` shifts, not at their combinations, and takes the best.
    """
    return 32 * log(2) + lgamma(size + 1) - lgamma(size - depth + 1)
