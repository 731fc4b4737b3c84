"""Spaces that were put between the characters of a text."""

from __future__ import annotations

import re

from stela_core.text.canonical.draft import Draft
from stela_core.text.canonical.lines import UNSPACED

GAP = re.compile(f"(?<=[{UNSPACED}]) +(?=[{UNSPACED}])")
"""Between two characters of Chinese or Japanese."""
TOUCHING = re.compile(f"[{UNSPACED}](?=[{UNSPACED}])")
FEWEST_GAPS = 5
SHORTEST = 40


def unspread(draft: Draft) -> None:
    """Spaces between all characters; between Chinese or Japanese ones, where a quarter of these are parted.

    Chinese has spaces between names or the parts of a verse, but not between words. Korean and Vietnamese
    quote it spaced now and then: the text has to be Chinese or Japanese for the most part.
    """
    text = draft.text
    if " " not in text:
        return
    if _is_spread(text):
        draft.edit((at, at + 1, "") for at in range(1, len(text.rstrip("\n")), 2))
    gaps = sum(1 for _ in GAP.finditer(draft.text))
    if gaps < FEWEST_GAPS:
        return
    touching = sum(1 for _ in TOUCHING.finditer(draft.text))
    if 3 * gaps >= touching and 3 * (gaps + touching) >= len(draft.text):
        draft.sub(GAP, "")


def _is_spread(text: str) -> bool:
    """Whether every second character is a space, and not half of the others, line breaks at the end apart."""
    if text[1:2] != " ":
        return False
    text = text.rstrip("\n")
    others, between = text[::2], text[1::2]
    return (
        len(text) >= SHORTEST and between.count(" ") == len(between) and 2 * others.count(" ") < len(others)
    )
