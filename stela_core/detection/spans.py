"""From scored tokens to characters of the text: the one place where offsets of passages are worked out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import NamedTuple

from stela_core.detection.evidence import Evidence
from stela_core.detection.result import Passage


class Span(NamedTuple):
    """A piece of a text."""

    start: int
    end: int
    """It is ``text[start:end]``, in characters."""
    text: str
    token_start: int
    token_end: int
    """It is the tokens ``token_start .. token_end - 1`` of the text."""


class Spans:
    """Pieces of one text, for ranges of its scored tokens.

    Args:
        evidence: of the text.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._positions = evidence.positions
        self._text, self._ends, self._unseen = evidence.laid_out()

    def of(self, start: int, end: int) -> Span:
        """The piece from scored token ``start`` up to ``end``, at least one."""
        first, last = int(self._positions[start]), int(self._positions[end - 1])
        begin, stop = max(self._unseen, self._ends[first]), self._ends[last + 1]
        return Span(begin - self._unseen, stop - self._unseen, self._text[begin:stop], first, last + 1)

    def relabelled(self, passage: Passage) -> Passage:
        """The passage of another reading, with the tokens of this one that have its characters."""
        start, end = passage.start + self._unseen, passage.end + self._unseen
        first = max(0, bisect_right(self._ends, start) - 1)
        return replace(passage, token_start=first, token_end=max(first + 1, bisect_left(self._ends, end)))
