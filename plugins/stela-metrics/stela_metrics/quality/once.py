"""Texts of one prompt among which a hash context marks once, as with an engine that remembers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

import stela_core as stela


@contextmanager
def marked_once(hasher: stela.Hasher[Any], group: int) -> Iterator[None]:
    """While it lasts, a context that came in a row of the same group has a seed that nobody can know.

    A mark that keeps the model's distribution then draws from it. Detection, which is not to run meanwhile,
    takes such tokens for marked ones that are not green.

    Args:
        hasher: marks batches of whole groups, always with the rows in the same places.
        group: number of rows, one after the other, that share what was marked.
    """
    own = hasher.seeds_of
    draws = np.random.default_rng(hasher.key)
    seen: set[tuple[int, bytes]] = set()

    def seeds_of(rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        seeds = own(rows, contexts).copy()
        for place, (row, context) in enumerate(zip(rows, contexts, strict=True)):
            known = row // group, context.tobytes()
            if known in seen:
                seeds[place] = draws.integers(1 << 64, size=seeds.shape[1:], dtype=np.uint64)
            seen.add(known)
        return seeds

    vars(hasher)["seeds_of"] = seeds_of
    try:
        yield
    finally:
        del vars(hasher)["seeds_of"]
