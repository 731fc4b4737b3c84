"""Text to numbers: ids of characters, and buckets of the two and three characters that end at each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_causal.code_points import OUTSIDE, WHITE_SPACE, code_points, laid_out

Ids = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SPECIAL = ("outside", "space", "syllable", "han", "letter", "digit", "jamo", "symbol", "other")
"""First ids: nothing, and characters that the model does not know, by kind."""
SPACE, SYLLABLE, HAN, LETTER, DIGIT, JAMO, SYMBOL, OTHER = range(1, 9)
FIRST_SYLLABLE, SYLLABLES = 0xAC00, 11_172
MEDIALS, FINALS = 21, 28
BITS = 21
"""A code point fits in 21 bits, and three of them in 63."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4)."""


class Encoded(NamedTuple):
    """Texts one behind the other, with a gap after each."""

    chars: Ids
    """(n,) id of each character; 0 in gaps."""
    pairs: Ids
    """(n,) bucket of the two characters that end there."""
    triples: Ids
    """(n,) bucket of the three."""
    inside: Flags
    """(n,) false in gaps."""
    space: Flags
    """(n,) true for white space, and in gaps."""
    starts: list[int]
    """Start of each text in the arrays."""


RANGES = (
    ("A", "[", LETTER), ("a", "{", LETTER), ("\u00c0", "\u0250", LETTER), ("\u0370", "\u0530", LETTER),
    ("\uff21", "\uff3b", LETTER), ("\uff41", "\uff5b", LETTER),
    ("0", ":", DIGIT), ("\uff10", "\uff1a", DIGIT), ("\u1100", "\u1200", JAMO),
    ("\u3130", "\u3190", JAMO), ("\u3400", "\ua000", HAN),
    ("\uf900", "\ufb00", HAN), ("\U00020000", "\U00033480", HAN), ("\uac00", "\ud7a4", SYLLABLE),
)  # fmt: skip
"""First characters, those after the last, and their kind."""


def _kinds() -> Ids:
    """(0x110001,) code point to the id of its kind."""
    table = np.full(OUTSIDE + 1, OTHER)
    table[0x21:0x7F] = table[0xA1:0x100] = table[0x2000:0x2C00] = table[0x3001:0x3040] = SYMBOL
    table[0x1F000:0x1FB00] = SYMBOL
    for first, end, kind in RANGES:
        table[ord(first) : ord(end)] = kind
    table[list(WHITE_SPACE)] = SPACE
    table[OUTSIDE] = 0
    return table


KINDS = _kinds()


def _folded() -> Ids:
    """(0x110001,) code point to what stands for it in pairs: one digit, one letter, one blank."""
    table = np.arange(OUTSIDE + 1)
    for kind, stands in ((SPACE, " "), (DIGIT, "0"), (LETTER, "a"), (HAN, "\u4e00")):
        table[kind == KINDS] = ord(stands)
    return table


FOLDED = _folded()


class Characters:
    """The characters that a model knows, and how many buckets it has for neighbours.

    Ids are those of the special ones, then of known characters, then of all syllables of Hangul.
    """

    def __init__(self, known: str, bits: int) -> None:
        """``known`` characters, each once; 2**``bits`` buckets of pairs, and as many of triples."""
        self.known = known
        self.bits = bits
        self.others = len(SPECIAL) + len(known)
        """Id of the first syllable."""
        self._ids = KINDS.copy()
        points = code_points(known)
        self._ids[points] = np.arange(len(SPECIAL), self.others)
        self._ids[KINDS == SPACE] = SPACE
        self.own = np.full(SYLLABLES, SYLLABLE)
        """(11172,) the row of each syllable's own: that of unknown ones, or a known character's."""
        all_syllables = slice(FIRST_SYLLABLE, FIRST_SYLLABLE + SYLLABLES)
        self.own[:] = self._ids[all_syllables]
        self._ids[all_syllables] = self.others + np.arange(SYLLABLES)

    @property
    def lookups(self) -> tuple[Ids, Ids]:
        """Id of each code point, and what stands for it in pairs and triples."""
        return self._ids, FOLDED

    def encode(self, texts: Sequence[str], gap: int) -> Encoded:
        """Ids of all characters of ``texts``, with ``gap`` >= 2 places of nothing after each text."""
        return self.encode_points(*laid_out(texts, gap))

    def encode_tails(self, texts: Sequence[str], size: int) -> Encoded:
        """The same of the last ``size`` characters of each text, all ``size`` long, with the gap before.

        Buckets of the first two places of each mean nothing.
        """
        nothing = OUTSIDE.to_bytes(4, "little") * size
        parts = [(nothing + text[-size:].encode("utf-32-le"))[-4 * size :] for text in texts]
        points = np.frombuffer(b"".join(parts), np.uint32).astype(np.int64)
        return self.encode_points(points, [])

    def encode_points(self, points: Ids, starts: list[int]) -> Encoded:
        """The same of code points (n,) that hold ``OUTSIDE`` in gaps."""
        chars = self._ids[points]
        inside = points != OUTSIDE
        folded = FOLDED[np.concatenate([[OUTSIDE, OUTSIDE], points])].astype(np.uint64)
        shift = np.uint64(BITS)
        pairs = folded[1:-1] << shift | folded[2:]
        triples = folded[:-2] << shift + shift | pairs
        return Encoded(
            chars, self._bucket(pairs), self._bucket(triples), inside, (chars == SPACE) | ~inside, starts
        )

    def _bucket(self, keys: npt.NDArray[np.uint64]) -> Ids:
        buckets: Ids = (keys * MULTIPLIER >> np.uint64(64 - self.bits)).astype(np.int64)
        return buckets


def parts_of_syllables() -> Ids:
    """(11172, 3) numbers of the initial, medial and final of each syllable."""
    number = np.arange(SYLLABLES)
    return np.stack([number // (MEDIALS * FINALS), number // FINALS % MEDIALS, number % FINALS], 1)
