"""Kinds of characters: all that a tagger knows of a character it never saw."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=65_536)
def kind_of(character: str) -> str:
    """One letter: s(pace), d(igit), a(SCII letter), p(unctuation), h(an), l(etter), o(ther), - for none."""
    if not character:
        return "-"
    if character.isspace():
        return "s"
    if character.isdigit():
        return "d"
    if character.isascii() and character.isalpha():
        return "a"
    if unicodedata.category(character)[0] in "PS":
        return "p"
    if "\u4e00" <= character <= "\u9fff":
        return "h"
    return "l" if character.isalpha() else "o"
