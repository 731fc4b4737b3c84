"""Windows: the last few words or characters of a text, as one bounded string."""

from __future__ import annotations

from typing import Literal

CHARACTERS_PER_WORD = 16
"""A window of W words is also at most 16 W characters long, so that text without spaces is bounded."""


def reach(window: int, unit: Literal["word", "character"]) -> int:
    """How many characters from the end of a text decide its window."""
    return window if unit == "character" else window * CHARACTERS_PER_WORD


def window_of(text: str, window: int, unit: Literal["word", "character"]) -> str:
    """The last ``window`` units of ``text``, up to its very end; the start is not white space.

    It looks at the last :func:`reach` characters alone and is idempotent. White space at the end
    stays: to a tagger, ``word`` may still go on and ``word `` may not.
    """
    tail = text[-reach(window, unit) :]
    if unit == "character":
        return tail
    tail = tail.lstrip()
    words = tail.rsplit(maxsplit=window)
    if len(words) <= window:
        return tail
    return tail[len(words[0]) :].lstrip()
