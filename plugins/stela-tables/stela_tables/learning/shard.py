"""The sums of a shard of observations: what a worker hands back, and what merges exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_tables.learning.keys import ROOT, Keys, longer, parts_of, unit_hashes
from stela_tables.learning.observed import NONE, Observed
from stela_tables.learning.records import Block, Section, summed


class Totals(NamedTuple):
    """Sums over all positions, whatever stood before."""

    observations: int = 0
    sum: int = 0
    short: int = 0
    """Observations without a context of full length."""


class Shard(NamedTuple):
    """Sums by context, of some observations."""

    totals: Totals
    units: Sequence[str]
    """What the records' units are."""
    blocks: dict[Section, Block]


def shard_of(observed: Observed) -> Shard:
    """Sum observations by each suffix of what stood before them.

    Args:
        observed: n of them; contexts of up to ``longest`` units.
    """
    units, steps = observed.before
    n, longest = steps.shape
    hashes = unit_hashes(units)
    counts = np.ones(n, dtype=np.uint32) if observed.counts is None else observed.counts
    short = steps[:, -1] == NONE
    pairs = None
    names = list(units)
    if observed.followers is not None:
        tokens, numbers = np.unique(observed.followers, return_inverse=True)
        followers = [str(token) for token in tokens.tolist()]
        pairs = _Followers(len(names) + numbers, unit_hashes(followers)[numbers])
        names += followers
    blocks: dict[Section, Block] = {}
    at: npt.NDArray[np.intp] = np.arange(n)
    keys = np.full(n, ROOT, dtype=np.uint64)
    parts = parts_of(keys)
    if pairs is not None:
        blocks[Section("followers", 0)] = pairs.of(at, keys, counts, parts)
    for level in range(1, longest + 1):
        goes_on = steps[at, level - 1] != NONE
        at, below = at[goes_on], keys[goes_on]
        step = steps[at, level - 1]
        keys, parts = longer(below, hashes[step]), parts_of(below)
        blocks[Section("contexts", level)] = summed(keys, step, observed.values[at], counts[at], parts)
        if level < longest:
            ends = np.flatnonzero(short[at])
            few = at[ends]
            blocks[Section("short", level)] = summed(
                keys[ends], step[ends], observed.values[few], counts[few], parts[ends]
            )
        if pairs is not None:
            blocks[Section("followers", level)] = pairs.of(at, keys, counts, parts)
    wide = counts.astype(np.int64)
    totals = Totals(int(wide.sum()), int(observed.values.sum()), int(wide[short].sum()))
    return Shard(totals, names, blocks)


class _Followers(NamedTuple):
    """Tokens as units of contexts that are one longer: their keys hold both."""

    units: npt.NDArray[np.intp]
    hashes: Keys

    def of(
        self,
        at: npt.NDArray[np.intp],
        keys: Keys,
        counts: npt.NDArray[np.uint32],
        parts: npt.NDArray[np.uint8],
    ) -> Block:
        """How often each token follows each context: ``keys``, those of the positions ``at``."""
        return summed(
            longer(keys, self.hashes[at]),
            self.units[at],
            np.zeros(len(at), dtype=np.int64),
            counts[at],
            parts,
        )
