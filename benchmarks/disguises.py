"""What copying, pasting and sending make of a text, by name: each a function of the text alone."""

from __future__ import annotations

import html
import json
import quopri
import re
import textwrap
import unicodedata
import urllib.parse
from collections.abc import Callable
from functools import partial

CYRILLIC = str.maketrans("aceopxyABCEHIKMOPTX", "асеорхуАВСЕНІКМОРТХ")
COLUMNS = 72
CHINESE = re.compile(
    "(?<=[\u3001-\u303f\u4e00-\u9fff\uff01-\uff60])(?=[\u3001-\u303f\u4e00-\u9fff\uff01-\uff60])"
)
UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u180b\u180f\u2065\u3164\ufe00\uffa0\ufff0"
    "\U0001bca0\U0001d173\U000e0080\U000e0fff"
)
"""Default-ignorable code points of every block, some of them not assigned."""


def wrapped(text: str) -> str:
    """Hard wraps at 72 characters, as a mail program's."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, COLUMNS, drop_whitespace=True)) for line in text.split("\n")
    )


def quoted(text: str) -> str:
    """Wrapped, each line behind ``> ``."""
    return "\n".join(f"> {line}".rstrip() for line in wrapped(text).split("\n"))


def sprinkled(text: str) -> str:
    """One of :data:`UNSEEN` behind every third character, in turn."""
    return "".join(c + (UNSEEN[n // 3 % len(UNSEEN)] if n % 3 == 2 else "") for n, c in enumerate(text))


def misread(text: str, encoding: str) -> str:
    """UTF-8 read as something else; what is not a character there is U+FFFD."""
    return text.encode().decode(encoding, "replace")


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
    "Hangul filler U+1160": "\u1160".join,
    "Mongolian U+180B": "\u180b".join,
    "musical U+1D173": "\U0001d173".join,
    "reserved U+FFF0": "\ufff0".join,
    "object U+FFFC": "\ufffc".join,
    "ignorables, all kinds": sprinkled,
    "Chinese spaced": partial(CHINESE.sub, " "),
    "all letters spaced": " ".join,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "quoted-printable": lambda text: quopri.encodestring(text.encode()).decode(),
    "percent-encoding": urllib.parse.quote,
    "the same, + for spaces": urllib.parse.quote_plus,
    "read as Latin-1": partial(misread, encoding="latin-1"),
    "read as windows-1252": partial(misread, encoding="cp1252"),
    "upper case": str.upper,
}
"""Chinese has hardly a space, Korean and English hardly a character that NFD changes, and so on: some leave
a text as it is."""
