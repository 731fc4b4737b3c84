"""From scored tokens to characters of the text: the one place where offsets of passages are worked out."""

from __future__ import annotations

from typing import NamedTuple

from stela_core.detection.evidence import Evidence
from stela_core.text.prefix import prefix_ends


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
        self._text, ends = prefix_ends(evidence.ids, evidence.token_bytes)
        # A tokenizer may write a space before the text, which its reader does not see.
        self._unseen = len(self._text) - len(evidence.token_bytes.decode(evidence.ids))
        self._ends = [*ends, len(self._text)]

    def of(self, start: int, end: int) -> Span:
        """The piece from scored token ``start`` up to ``end``, at least one."""
        first, last = int(self._positions[start]), int(self._positions[end - 1])
        begin, stop = max(self._unseen, self._ends[first]), self._ends[last + 1]
        return Span(begin - self._unseen, stop - self._unseen, self._text[begin:stop], first, last + 1)
