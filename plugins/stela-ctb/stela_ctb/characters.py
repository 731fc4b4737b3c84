"""Text to numbers: ids of characters and of pairs of neighbours, for many texts in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_causal.code_points import OUTSIDE, WHITE_SPACE, laid_out

Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SPECIAL = ("<outside>", "<han>", "<digit>", "<letter>", "<space>", "<other>")
"""First ids of characters: nothing, and characters that the model does not know, by kind."""
HAN, DIGIT, LETTER, SPACE, OTHER = range(1, 6)
SPECIAL_PAIRS = ("<outside>", "<unknown>")
UNKNOWN_PAIR = 1


class Encoded(NamedTuple):
    """Texts one behind the other, with a gap after each."""

    chars: Ids
    """(n,) id of each character; 0 in gaps."""
    left: Ids
    """(n,) id of the pair that ends with it."""
    right: Ids
    """(n,) id of the pair that starts with it."""
    inside: Flags
    """(n,) false in gaps."""
    space: Flags
    """(n,) true for white space, and in gaps."""
    starts: list[int]
    """Start of each text in the arrays."""


def _folded() -> Ids:
    """(0x110001,) code point to what stands for it in pairs: one digit, one letter of each case."""
    table = np.arange(OUTSIDE + 1)
    table[0xFF01:0xFF5F] = np.arange(0x21, 0x7F)  # full width
    for first, last, stands in (("0", "9", "0"), ("A", "Z", "A"), ("a", "z", "a")):
        table[ord(first) : ord(last) + 1] = ord(stands)
        table[ord(first) + 0xFEE0 : ord(last) + 0xFEE1] = ord(stands)
    table[list(WHITE_SPACE)] = ord(" ")
    return table


FOLDED = _folded()
BITS = 21
"""A code point fits in 21 bits: a pair is ``first << 21 | second``."""


def pairs(points: Ids) -> Ids:
    """(n + 1,) keys of neighbours, where n characters have nothing before and behind."""
    folded = FOLDED[np.concatenate([[OUTSIDE], points, [OUTSIDE]])]
    keys: Ids = folded[:-1] << BITS | folded[1:]
    return keys


def _kinds() -> Ids:
    """(0x110001,) code point to the id of its kind."""
    table = np.full(OUTSIDE + 1, OTHER)
    table[0x3400:0xA000] = HAN
    table[0xF900:0xFB00] = HAN
    table[0x20000:0x33480] = HAN
    table[ord("0") == FOLDED] = DIGIT
    table[(ord("A") == FOLDED) | (ord("a") == FOLDED)] = LETTER
    table[ord(" ") == FOLDED] = SPACE
    table[OUTSIDE] = 0
    return table


class Characters:
    """The characters and pairs that a model knows."""

    def __init__(self, chars: Sequence[str], known_pairs: Sequence[str]) -> None:
        """Take characters and pairs, special ones first; pairs are sorted by their two code points."""
        self._ids = _kinds()
        for number, char in enumerate(chars[len(SPECIAL) :], len(SPECIAL)):
            self._ids[ord(char)] = number
        self._ids[ord(" ") == FOLDED] = SPACE
        keys = [ord(pair[0]) << BITS | ord(pair[1]) for pair in known_pairs[len(SPECIAL_PAIRS) :]]
        self._keys = np.array([*keys, np.iinfo(np.int64).max], dtype=np.int64)
        if np.any(np.diff(self._keys) <= 0):
            raise ValueError("pairs are not sorted")

    @property
    def lookups(self) -> tuple[Ids, Ids, Ids]:
        """Id of each code point, and what stands for it in pairs; keys of pairs, with a greater one last."""
        return self._ids, FOLDED, self._keys

    def encode(self, texts: Sequence[str], gap: int) -> Encoded:
        """Ids of all characters of ``texts``, with ``gap`` places of nothing after each text."""
        points, starts = laid_out(texts, gap)
        keys = pairs(points)
        place = np.searchsorted(self._keys, keys)
        pair_ids = np.where(self._keys[place] == keys, place + len(SPECIAL_PAIRS), UNKNOWN_PAIR)
        chars = self._ids[points]
        inside = points != OUTSIDE
        space = (chars == SPACE) | ~inside
        return Encoded(chars, pair_ids[:-1], pair_ids[1:], inside, space, starts)
