"""JSON lines: one value a line, read with bounds, and errors that name the line.

Only a line feed ends a line. ``str.splitlines``, and files opened as text, cut at other characters too, which
JSON leaves as they are within strings: U+2028, U+2029, U+0085 and others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

BOM = b"\xef\xbb\xbf"
HINT = "one JSON object per line"


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1; a byte order mark at the beginning is left out.

    Blank lines are among them: who reads a stranger's stream counts them.
    """
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix(BOM) if number == 1 else line
