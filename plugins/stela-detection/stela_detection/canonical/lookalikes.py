"""Cyrillic, Greek and Armenian letters that stand in for Latin ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stela_detection.canonical.draft import Draft
from stela_detection.canonical.late_pattern import late_pattern

FILE = Path(__file__).with_name("lookalikes.json")
"""Letter to Latin letter, with source, version and licence; docs/canonical-text.md says how it was chosen."""

MARKS = "\u0300-\u036f"
FOREIGN = "\u0370-\u0373\u0375-\u037d\u037f-\u0386\u0388-\u0589"
LATIN = "A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\u024f\u1e00-\u1eff"
WORD = late_pattern(f"[{LATIN}{FOREIGN}{MARKS}\u1f00-\u1fff]+")
HAS_LATIN = late_pattern(f"[{LATIN}]")


@cache
def table() -> dict[str, str]:
    """Letter to Latin letter."""
    letters: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))["letters"]
    return letters


@cache
def patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A letter of the table; a letter of its scripts that is not in it."""
    letters = "".join(table())
    return late_pattern(f"[{letters}]"), late_pattern(f"(?![{letters}])[{FOREIGN}\u1f00-\u1fff]")


def latin_lookalikes(draft: Draft) -> None:
    """Letters of the table become Latin in words that are meant to be Latin.

    A word is *Latin* if it has Latin letters and its letters of other scripts, if any, are all in the
    table; *foreign* if it has a letter of these scripts that is not. A word of nothing but letters of the
    table goes with the word before it, or, where none came before, with the first that is either.
    """
    if draft.text.isascii():  # a text of Latin letters needs no table
        return
    known, _ = patterns()
    if draft.holds(known):
        draft.edit(_edits(draft.text))


def _edits(text: str) -> Iterator[tuple[int, int, str]]:
    letters, (known, other) = table(), patterns()
    kinds = (_is_latin(match[0], known, other) for match in WORD.finditer(text))
    latin = next((kind for kind in kinds if kind is not None), False)
    for match in WORD.finditer(text):
        kind = _is_latin(match[0], known, other)
        latin = latin if kind is None else kind
        if latin and known.search(match[0]):
            yield (*match.span(), "".join(letters.get(letter, letter) for letter in match[0]))


def _is_latin(word: str, known: re.Pattern[str], other: re.Pattern[str]) -> bool | None:
    """``None`` for a word that may be either."""
    if other.search(word):
        return False
    return True if HAS_LATIN.search(word) else None
