"""Undo JSON's and HTML's spellings of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import name2codepoint

from stela_detection.canonical.draft import Draft
from stela_detection.canonical.late_pattern import late_pattern

PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
JSON = late_pattern(rf'\n|\\(?:{PAIR}|["\\/bfnrt]|u[0-9a-fA-F]{{4}})?')
"""Ends of lines; escapes; and a backslash that begins none."""

SHORT = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "r": "\r", "t": "\t"}
"""``\\b`` and ``\\f`` are escapes, too, and are kept: no text holds what they stand for, but LaTeX does."""

ENTITY = late_pattern(r"&(?:amp;)*+(?:(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,7});)?")
"""``&amp;nbsp;``, escaped twice or more, is one match."""

NAMED = {**name2codepoint, "apos": 0x27}
"""The 252 entities of HTML 4, and ``&apos;``: a list that no longer changes."""

NESTED = late_pattern(r'\\\\(?:u[0-9a-fA-F]{4}|\\")')
"""An escape that was escaped."""
OUTER = {"\\\\", '\\"', "\\/", "\n"}
"""All the escapes that a text in JSON needs to stand in JSON again, and line breaks."""
DEEPEST = 4
"""Levels that are undone."""


def undo_json(draft: Draft) -> None:
    r"""Escapes of the lines in which every backslash begins one: prose in JSON, but not code and LaTeX.

    What is JSON in JSON throughout is undone again: a text that merely holds ``\\n`` is not.
    """
    for _ in range(DEEPEST):
        text = draft.text
        if "\\" not in text:
            return
        nested = NESTED.search(text) is not None and {match[0] for match in JSON.finditer(text)} <= OUTER
        draft.edit(_json_edits(text, _lines_that_are_not_json(text)))
        if not nested:
            return


def _lines_that_are_not_json(text: str) -> set[int]:
    line, others = 0, set()
    for match in JSON.finditer(text):
        if match[0] == "\n":
            line += 1
        elif len(match[0]) == 1:
            others.add(line)
    return others


def _json_edits(text: str, others: set[int]) -> Iterator[tuple[int, int, str]]:
    line = 0
    for match in JSON.finditer(text):
        escape = match[0]
        if escape == "\n":
            line += 1
        elif line not in others:
            yield (*match.span(), _of_json(escape))


def _of_json(escape: str) -> str:
    if escape[1] != "u":
        return SHORT.get(escape[1], escape)
    code = int(escape[2:6], 16)
    if len(escape) == 12:
        code = 0x10000 + ((code - 0xD800) << 10) + int(escape[8:], 16) - 0xDC00
    return character(code) or escape


def undo_html(draft: Draft) -> None:
    """Entities with a name of HTML 4, decimal and hexadecimal ones; the semicolon is needed."""
    if "&" in draft.text:
        draft.sub(ENTITY, _of_html)


def _of_html(match: re.Match[str]) -> str:
    inner = match[1]
    if not inner:
        return "&"
    if inner[0] != "#":
        code = NAMED.get(inner, 0)
    else:
        code = int(inner[2:], 16) if inner[1] in "xX" else int(inner[1:])
    return character(code) or f"&{inner};"


def character(code: int) -> str:
    """The character; nothing for half a one, a control character, or another number."""
    control = (code < 0x20 and code not in (9, 10, 13)) or (0x7F <= code < 0xA0 and code != 0x85)
    return "" if control or 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)
