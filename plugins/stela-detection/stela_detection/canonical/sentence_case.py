"""A text in only capitals, in the case that sentences have.

Which letters were capitals is lost; where sentences begin is not. It is a separate reading, not a part of
the canonical form, because a text may have been written in capitals.
"""

from __future__ import annotations

from string import ascii_lowercase

from stela_detection.canonical.late_pattern import late_pattern

LETTERS = "A-Za-z\xc0-\u017f\u0370-\u052f\u0531-\u0587\u1e00-\u1eff"
"""Ranges of the scripts that have case; no version of Unicode adds a pair to them any more."""
LETTER = late_pattern(f"[{LETTERS}]")
SMALL = ascii_lowercase.encode()
FEWEST = 20

BEGINNING = late_pattern(
    rf"""(?:^|[.!?\u2026]["'\u2019\u201d)\]]* +|\n)["'\u2018\u201c(\[ ]*[{LETTERS}]"""
    rf"|(?<![{LETTERS}'\u2019])I(?![{LETTERS}])"
    rf"|(?<![{LETTERS}])[A-Z](?=\.)"
)
"""Text up to the first letter of a sentence or line; English "I"; an initial."""


def in_sentence_case(text: str) -> str:
    """The text in sentence case, as long as it was; itself, unless nearly all its characters are capitals.

    They are if there are twenty, they are half of the text, and no more than one letter in twenty is small.
    """
    # Most texts end here: with so many of these, there are not enough capitals in what is left.
    data = text.encode("utf-8", "surrogatepass")
    if 20 * (len(data) - len(data.translate(None, SMALL))) > len(text):
        return text
    letters = LETTER.findall(text)
    capitals = sum(1 for letter in letters if _lower(letter) != letter)
    small = sum(1 for letter in letters if letter.upper() != letter)
    if capitals < FEWEST or 2 * capitals < len(text) or 20 * small > capitals:
        return text
    capital = {match.end() - 1 for match in BEGINNING.finditer(text)}
    return "".join(c if at in capital or not LETTER.match(c) else _lower(c) for at, c in enumerate(text))


def _lower(letter: str) -> str:
    """The small letter, where it is one character."""
    small = letter.lower()
    return small if len(small) == 1 else letter
