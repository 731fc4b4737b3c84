"""Green lists of seeds: single colours at first, whole lists for seeds that are asked for often."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import numpy as np
import numpy.typing as npt

from stela_interop.shuffles import first_of_permutation, is_among_first

FEW = 4
"""Colours of one seed asked for singly; making the whole list costs about as much as these."""

COUNTED = 1 << 17
"""Seeds whose questions are counted."""

Packed = npt.NDArray[np.uint8]


class GreenLists:
    """Colours under seeds, with the lists in use kept as one bit a token.

    Args:
        size: of the vocabulary.
        count: of green tokens, the first of the seed's permutation.
        budget: bytes of lists kept, the latest used.
    """

    def __init__(self, size: int, count: int, budget: int = 64 << 20) -> None:
        self._size = size
        self._count = count
        self._room = max(1, budget // ((size + 7) // 8))
        self._lists: OrderedDict[int, Packed] = OrderedDict()
        self._asked: dict[int, int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Number of lists kept."""
        return len(self._lists)

    def mask(self, seed: int) -> npt.NDArray[np.bool_]:
        """Whether each token is green, (size,)."""
        return np.unpackbits(self._made(seed), count=self._size, bitorder="little").view(np.bool_)

    def colours(self, seeds: npt.NDArray[np.uint32], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under its seed, (n,), (n,) -> (n,); foreign ids are red."""
        colours = np.zeros(len(tokens), dtype=np.bool_)
        known = np.flatnonzero((tokens >= 0) & (tokens < self._size))
        order = known[np.argsort(seeds[known], kind="stable")]
        starts = np.flatnonzero(np.diff(seeds[order].astype(np.int64))) + 1
        for rows in np.split(order, starts):
            if len(rows):
                colours[rows] = self._of_seed(int(seeds[rows[0]]), tokens[rows])
        return colours

    def _of_seed(self, seed: int, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        if self._worth_a_list(seed, len(tokens)):
            packed = self._made(seed)
            bits = packed[tokens >> 3] >> (tokens & 7).astype(np.uint8)
            return np.asarray((bits & 1).view(np.bool_))
        singly = [is_among_first(seed, self._size, self._count, token) for token in tokens.tolist()]
        return np.array(singly, dtype=np.bool_)

    def _worth_a_list(self, seed: int, questions: int) -> bool:
        with self._lock:
            if seed in self._lists:
                return True
            if len(self._asked) >= COUNTED:
                self._asked.clear()
            asked = self._asked[seed] = self._asked.get(seed, 0) + questions
            return asked > FEW

    def _made(self, seed: int) -> Packed:
        with self._lock:
            packed = self._lists.get(seed)
            if packed is not None:
                self._lists.move_to_end(seed)
                return packed
        packed = np.packbits(first_of_permutation(seed, self._size, self._count), bitorder="little")
        with self._lock:
            self._lists[seed] = packed
            self._asked.pop(seed, None)
            while len(self._lists) > self._room:
                self._lists.popitem(last=False)
        return packed
