"""Cut a long document where a tagger loses least, so that memory is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator

PIECE = 20_000
"""Longest piece, in characters."""

BREAKS = (re.compile(r"\n"), re.compile(r"[.!?…。！？]['\"”’)\]」』]*\s|[。！？]"), re.compile(r"\s"))
"""Patterns of places to cut at, best first: line ends, sentence ends, white space."""


def pieces_of(text: str, limit: int = PIECE) -> Iterator[str]:
    """Parts of at most ``limit`` characters whose concatenation is ``text``.

    Each ends at the last line end in its second half; where there is none, at the last sentence end,
    then white space, then at the limit.
    """
    start = 0
    while len(text) - start > limit:
        end = start + limit
        for pattern in BREAKS:
            ends = [m.end() for m in pattern.finditer(text, start + limit // 2, end)]
            if ends:
                end = ends[-1]
                break
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
