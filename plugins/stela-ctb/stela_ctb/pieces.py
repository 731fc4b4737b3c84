"""Cut text into pieces that a model can take: no white space in them, and of bounded length."""

from __future__ import annotations

import re

LONGEST = 128
"""Characters in a piece at most; transformers hold 512."""

_PIECE = re.compile(rf"(?:[^\s。！？!?；;]{{1,{LONGEST - 1}}}[。！？!?；;]?|[。！？!?；;]+?)")


def pieces(text: str) -> list[tuple[int, str]]:
    """``text`` less its white space as (offset, piece), cut behind each end of a sentence.

    A piece that would be longer than 128 characters is cut there.
    """
    return [(match.start(), match[0]) for match in _PIECE.finditer(text)]
