"""``torch.randperm`` of a seeded CPU generator, without torch.

``randperm(size)``, for ``size`` below ``(2**32 - 1) / 20``, is the forward Fisher-Yates shuffle by the draws
of MT19937: at step i, position i changes places with position ``i + draw % (size - i)``.

The shuffle is sequential, yet nothing here is a loop over steps: an entry's way is followed backwards,
from the place where it ended to the place where it began, for all entries at once. Ways are short, since
a place is hit once or twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.mt19937 import mt19937

LARGEST = (2**32 - 1) // 20
"""Sizes below it are shuffled with 32-bit draws."""


def targets(seed: int, size: int, steps: int) -> npt.NDArray[np.intp]:
    """Position that each of the first ``steps`` steps of a shuffle of ``size`` entries picks, (steps,).

    Raises:
        ValueError: ``size`` is too large, or less than ``steps``.
    """
    if not 0 <= steps <= size < LARGEST:
        raise ValueError(f"no shuffle of {size} entries has {steps} steps that this module knows")
    index = np.arange(steps, dtype=np.uint32)
    picked = mt19937(seed, steps)
    picked %= np.uint32(size) - index
    picked += index
    return picked.astype(np.intp)


def is_among_first(seed: int, size: int, count: int, entry: int) -> bool:
    """Whether ``entry`` is one of the first ``count`` of ``randperm(size)``: one entry, followed forwards."""
    picked = targets(seed, size, count)
    at, start = entry, 0
    while True:
        # It stays at a place until a step picks that place, which brings it to the front for good.
        hits = picked[start : min(at, count)] == at
        if hits.any():
            return True
        if at >= count:
            return False
        if picked[at] == at:
            return True
        # The step that is due at its own place sends it on.
        start, at = at + 1, int(picked[at])


def first_of_permutation(seed: int, size: int, count: int) -> npt.NDArray[np.bool_]:
    """Mask (size,) of the first ``count`` entries of ``randperm(size)``."""
    is_first = np.ones(size, dtype=np.bool_)
    if count == size:
        return is_first
    last = _last_hits(targets(seed, size, count), size)
    # What is left behind is red: an entry nobody picked, or what the last step to pick its place left there.
    left = last[count:]
    hit = left >= 0
    is_first[count:] = hit
    is_first[_origins(left[np.flatnonzero(hit)], last)] = False
    return is_first


def permutation(seed: int, size: int) -> npt.NDArray[np.int64]:
    """``torch.randperm(size)`` of a CPU generator seeded with ``seed``, (size,)."""
    picked = targets(seed, size, size)
    # The step before that picked the same place: what it left there is what this step finds.
    order = np.argsort(picked, kind="stable")
    same = picked[order[1:]] == picked[order[:-1]]
    before = np.full(size, -1, dtype=np.intp)
    before[order[1:][same]] = order[:-1][same]
    own = _origins(np.arange(size), _last_hits(picked, size))
    placed = np.where(before >= 0, own[before], picked)
    stays = picked == np.arange(size)
    placed[stays] = own[stays]
    return placed.astype(np.int64)


def _last_hits(picked: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.int32]:
    """The last step that picked each place, -1 where none did, (size,); picking one's own is not a hit."""
    last = np.full(size + 1, -1, dtype=np.int32)
    steps = np.arange(len(picked), dtype=np.int32)
    own = np.flatnonzero(picked == steps)
    if len(own):
        picked = picked.copy()
        picked[own] = size  # a place beside the others, for what counts for none
    # Of several values for one index NumPy keeps the last.
    last[picked] = steps
    return last[:size]


def _origins(steps: npt.NDArray[np.integer[Any]], last: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The entry that lay at place i when step i came, for each i in ``steps``.

    It is i itself, if no step had picked place i, or else the one that the last such step had found at
    its own place and left there.
    """
    origins = steps.astype(np.int32)
    going = np.arange(len(steps))
    while len(going):
        before = last[origins[going]]
        # By index: choosing by a mask without a pattern is several times slower.
        moved = np.flatnonzero(before >= 0)
        going = going[moved]
        origins[going] = before[moved]
    return origins
