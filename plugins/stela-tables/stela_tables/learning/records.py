"""Records of sums by key: 24 bytes a context; equal keys are found by sorting, and added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_tables.learning.keys import PARTS, Keys

RECORD = np.dtype([("key", "<u8"), ("sum", "<i8"), ("count", "<u4"), ("unit", "<u4")])
MOST = 2**32 - 1

Parts = npt.NDArray[np.uint8]
Records = npt.NDArray[np.void]

Kind = Literal["contexts", "short", "followers"]
"""Contexts; those of positions that have none of full length; and tokens that follow contexts."""


class Section(NamedTuple):
    """Records that are summed together."""

    kind: Kind
    level: int
    """Length of the contexts."""


class Block(NamedTuple):
    """Records in ascending order of their keys, each key once."""

    records: Records
    parts: Parts
    """Parts of the suffix of each context: what is pruned together lies together."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self.records.nbytes + self.parts.nbytes


def sections(longest: int, followers: bool) -> list[Section]:
    """The sections of a table, in the order of a file."""
    made = [Section("contexts", level) for level in range(1, longest + 1)]
    made += [Section("short", level) for level in range(1, longest)]
    return made + [Section("followers", level) for level in range(longest + 1)] if followers else made


def summed(
    keys: Keys,
    units: npt.NDArray[np.integer],
    sums: npt.NDArray[np.int64],
    counts: npt.NDArray[np.integer],
    parts: Parts,
) -> Block:
    """Add the sums and counts of equal keys; all (n,), in any order.

    Raises:
        StelaError: a context was seen more than 4,294,967,295 times.
    """
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(keys) else order
    firsts = order[starts]
    records = np.empty(len(starts), dtype=RECORD)
    records["key"], records["unit"] = ordered[starts], units[firsts]
    if len(starts):
        totals = np.add.reduceat(counts[order], starts, dtype=np.uint64)
        if totals.max() > MOST:
            raise StelaError(
                f"a context was seen more than {MOST:,} times.", "learn from fewer tokens: --max-tokens"
            )
        records["count"], records["sum"] = totals, np.add.reduceat(sums[order], starts)
    return Block(records, parts[firsts])


def merged(blocks: Sequence[Block]) -> Block:
    """One block of several."""
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        return Block(np.empty(0, dtype=RECORD), np.empty(0, dtype=np.uint8))
    records = np.concatenate([block.records for block in blocks])
    parts = np.concatenate([block.parts for block in blocks])
    return summed(records["key"], records["unit"], records["sum"], records["count"], parts)


def by_part(block: Block) -> tuple[Records, npt.NDArray[np.int64]]:
    """The records part by part, and how many each part has, (``PARTS``,)."""
    order = np.argsort(block.parts, kind="stable")
    return block.records[order], np.bincount(block.parts, minlength=PARTS).astype(np.int64)
