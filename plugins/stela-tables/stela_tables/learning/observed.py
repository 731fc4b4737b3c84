"""What was observed: a whole number, and the units that stood before it, nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.api import TokenBytes

MICRO = 1_000_000
"""Values are summed as whole millionths: the sum does not depend on the order."""

NONE = -1
"""Unit behind the end of a context."""

Steps = npt.NDArray[np.int32]


class Before(NamedTuple):
    """What stands before n positions."""

    units: Sequence[str]
    """Distinct characters, tags, or whatever contexts are made of."""
    steps: Steps
    """(n, longest): numbers of units, the nearest first; after the last one ``NONE``."""


class Observed(NamedTuple):
    """Observations that go into a table; any source of them will do."""

    before: Before
    values: npt.NDArray[np.int64]
    """Whole millionths, (n,), summed over the times that each was seen."""
    counts: npt.NDArray[np.uint32] | None = None
    """How often that was, (n,); by default once."""
    followers: npt.NDArray[np.int64] | None = None
    """The token at each position, (n,), where the table counts which tokens follow."""


def whole(values: npt.NDArray[np.floating]) -> npt.NDArray[np.int64]:
    """Finite numbers as whole millionths."""
    micro: npt.NDArray[np.int64] = np.rint(values * MICRO).astype(np.int64)
    return micro


def last_characters(rows: Iterable[Sequence[int]], tokens: TokenBytes, longest: int) -> Before:
    """The last characters before each token but the first of some texts, given as token ids."""
    codes: list[npt.NDArray[np.uint32]] = []
    ends: list[npt.NDArray[np.int64]] = []
    begins: list[npt.NDArray[np.int64]] = []
    offset = 0
    for ids in rows:
        text, before = tokens.text_and_ends(ids)
        codes.append(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"))
        ends.append(np.array(before[1:], dtype=np.int64) + offset)
        begins.append(np.full(len(before) - 1, offset, dtype=np.int64))
        offset += len(codes[-1])
    points, numbers = np.unique(np.concatenate([*codes, [np.uint32(0)]]), return_inverse=True)
    places = np.concatenate(ends)[:, None] - np.arange(1, longest + 1)
    within = places >= np.concatenate(begins)[:, None]
    steps = np.where(within, numbers.astype(np.int32)[places], np.int32(NONE))
    return Before([chr(point) for point in points.tolist()], steps)


def last_tags(contexts: Iterable[Sequence[str]], longest: int) -> Before:
    """The last tags (or words) of each context."""
    known: dict[str, int] = {}
    rows = [
        [known.setdefault(tag, len(known)) for tag in context[: -longest - 1 : -1]] for context in contexts
    ]
    steps = np.full((len(rows), longest), NONE, dtype=np.int32)
    for row, numbers in zip(steps, rows, strict=True):
        row[: len(numbers)] = numbers
    return Before(list(known), steps)
