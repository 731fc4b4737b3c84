"""What the shipped models make of characters: kinds of those that they do not know, and pairs."""

from __future__ import annotations

from collections.abc import Sequence

from stela_causal.alphabet import Alphabet
from stela_causal.code_points import WHITE_SPACE

HAN, DIGIT, LETTER, OTHER = range(4)
"""Kinds of characters that a model does not know."""
WIDE = 0xFEE0
"""The number of code points from an ASCII character to its full-width form."""


def _ranges() -> list[list[int]]:
    """Ranges of code points as :class:`stela_causal.alphabet.Alphabet` reads them.

    In pairs one digit stands for all, one letter for all of its case, and ASCII for full-width forms.
    """
    han = [(0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3347F)]
    ranges = [[0, 0x10FFFF, OTHER, -1], *([first, last, HAN, -1] for first, last in han)]
    ranges += [[point + WIDE, point + WIDE, OTHER, point] for point in range(0x21, 0x7F)]
    for first, last, kind in (("0", "9", DIGIT), ("A", "Z", LETTER), ("a", "z", LETTER)):
        ranges += [[ord(first) + by, ord(last) + by, kind, ord(first)] for by in (0, WIDE)]
    return ranges + [[point, point, OTHER, ord(" ")] for point in WHITE_SPACE]


KINDS = _ranges()


def folded(char: str) -> str:
    """What stands for a character in pairs."""
    point = ord(char)
    stands = [to for first, last, _, to in KINDS if first <= point <= last]
    return char if stands[-1] < 0 else chr(stands[-1])


def alphabet_of(chars: Sequence[str], pairs: Sequence[str]) -> Alphabet:
    """The alphabet of known characters and pairs."""
    return Alphabet(
        "".join(chars), "".join(map(folded, chars)), [2], 1, KINDS, grams=True, pairs="".join(pairs)
    )
