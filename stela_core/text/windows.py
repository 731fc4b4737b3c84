"""Windows: the last few words or characters of a text, as one bounded string."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

CHARACTERS_PER_WORD = 16
"""A window of W words is also at most 16 W characters long, so that text without spaces is bounded."""


def reach(window: int, unit: Literal["word", "character"]) -> int:
    """How many characters from the end of a text decide its window."""
    return window if unit == "character" else window * CHARACTERS_PER_WORD


def window_of(text: str, window: int, unit: Literal["word", "character"]) -> str:
    """The last ``window`` units of ``text``, up to its very end; the start is not white space.

    It looks only at the last :func:`reach` characters and is idempotent. White space at the end
    is kept: to a tagger, ``word`` may still go on and ``word `` may not.
    """
    tail = text[-reach(window, unit) :]
    if unit == "character":
        return tail
    tail = tail.lstrip()
    words = tail.rsplit(maxsplit=window)
    if len(words) <= window:
        return tail
    return tail[len(words[0]) :].lstrip()


WORD = re.compile(r"\S+")


def window_starts(
    text: str, ends: Sequence[int], window: int, unit: Literal["word", "character"]
) -> list[int]:
    """Start of the window of ``text[:end]``, for each end: the window is ``text[start:end]``."""
    at = np.array(ends, dtype=np.int64)
    earliest = np.maximum(at - reach(window, unit), 0)
    if unit == "character":
        return list(earliest.tolist())
    words = np.array([match.span() for match in WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
    # A word after the last, so that there is always a next one.
    begins, stops = np.append(words[:, 0], len(text)), np.append(words[:, 1], len(text) + 1)
    wanted = begins[np.maximum(np.searchsorted(begins[:-1], at) - window, 0)]
    not_space = np.maximum(begins[np.searchsorted(stops, earliest, side="right")], earliest)
    return list(np.minimum(np.maximum(wanted, not_space), at).tolist())
