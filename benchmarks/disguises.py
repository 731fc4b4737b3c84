"""What copying, pasting and sending make of a text, by name: each a function of the text alone."""

from __future__ import annotations

import html
import json
import textwrap
import unicodedata
from collections.abc import Callable

CYRILLIC = str.maketrans("aceopxyABCEHIKMOPTX", "асеорхуАВСЕНІКМОРТХ")
COLUMNS = 72


def wrapped(text: str) -> str:
    """Hard wraps at 72 characters, as a mail program's."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, COLUMNS, drop_whitespace=True)) for line in text.split("\n")
    )


def quoted(text: str) -> str:
    """Wrapped, each line behind ``> ``."""
    return "\n".join(f"> {line}".rstrip() for line in wrapped(text).split("\n"))


DISGUISES: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "non-breaking spaces": lambda text: text.replace(" ", "\xa0"),
    "double spaces": lambda text: text.replace(" ", "  "),
    "zero-width spaces": "\u200b".join,
    "soft hyphens": "\xad".join,
    "decomposed (NFD)": lambda text: unicodedata.normalize("NFD", text),
    "CRLF, double spaces": lambda text: text.replace(" ", "  ").replace("\n", "\r\n"),
    "HTML entities": lambda text: html.escape(text).replace(" ", "&nbsp;"),
    "wrapped at 72": wrapped,
    "wrapped and quoted": quoted,
    "JSON, all escaped": lambda text: json.dumps(text)[1:-1].replace(" ", "\\u0020"),
    "JSON": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "Cyrillic letters": lambda text: text.translate(CYRILLIC),
}
"""Chinese has hardly a space, Korean and English hardly a character that NFD changes, and so on: some leave
a text as it is."""
