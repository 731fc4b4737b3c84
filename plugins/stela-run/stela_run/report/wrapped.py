"""Words of a figure in lines that fit: matplotlib lets what is too long run out of it."""

from __future__ import annotations

import re
import unicodedata

MARGIN = 0.9
"""Share of the room that is filled: a reader's own font may be wider than the one that is measured."""
MOST = 200
"""Characters that are shown; a label is a user's."""
PIECE = re.compile(r"[^\s\-/,(]*[\s\-/,(]+|[^\s\-/,(]+")
"""A piece that a line may end with."""


def wrapped(text: str, inches: float, points: float) -> str:
    """The text with line feeds, so that no line is wider than the room.

    Args:
        text: with its own line feeds, which are kept.
        inches: of the room.
        points: size of its letters.
    """
    text = text if len(text) <= MOST else text[: MOST - 1] + "…"
    room = inches * 72 * MARGIN
    return "\n".join(line for own in text.split("\n") for line in _lines(own, room, points))


def _lines(text: str, room: float, points: float) -> list[str]:
    lines, line = [], ""
    for piece in PIECE.findall(text):
        if line and _width(line + piece.rstrip(), points) > room:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while _width(line.rstrip(), points) > room and len(line) > 1:
            fits = next(n for n in range(len(line) - 1, 0, -1) if n == 1 or _width(line[:n], points) <= room)
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _width(text: str, points: float) -> float:
    """Points that a line takes; letters that the font lacks are taken as wide as they are in other fonts."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    known = "".join(c for c in text if unicodedata.east_asian_width(c) not in "WF")
    own = FontProperties(family="DejaVu Sans", size=points)
    width, _, _ = text_to_path.get_text_width_height_descent(known, own, ismath=False)
    return float(width) + wide * points
