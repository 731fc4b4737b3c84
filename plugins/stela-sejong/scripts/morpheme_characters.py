"""What the network sees of characters: kinds of those that it does not know, and the last two and three."""

from __future__ import annotations

from stela_causal.alphabet import Alphabet
from stela_causal.code_points import WHITE_SPACE

LENGTHS = [2, 3]
SYLLABLE, HAN, LETTER, DIGIT, JAMO, SYMBOL, OTHER = range(7)
STANDS = {LETTER: ord("a"), DIGIT: ord("0"), HAN: 0x4E00}
"""One letter, one digit and one Chinese character stand for all in pairs and triples."""
SYMBOLS = ((0x21, 0x7E), (0xA1, 0xFF), (0x2000, 0x2BFF), (0x3001, 0x303F), (0x1F000, 0x1FAFF))
RANGES = (
    ("A", "Z", LETTER), ("a", "z", LETTER), ("\u00c0", "\u024f", LETTER), ("\u0370", "\u052f", LETTER),
    ("\uff21", "\uff3a", LETTER), ("\uff41", "\uff5a", LETTER),
    ("0", "9", DIGIT), ("\uff10", "\uff19", DIGIT), ("\u1100", "\u11ff", JAMO),
    ("\u3130", "\u318f", JAMO), ("\u3400", "\u9fff", HAN),
    ("\uf900", "\ufaff", HAN), ("\U00020000", "\U0003347f", HAN), ("\uac00", "\ud7a3", SYLLABLE),
)  # fmt: skip
"""First characters, last ones, and their kind."""
KINDS = [
    [0, 0x10FFFF, OTHER, -1],
    *([first, last, SYMBOL, -1] for first, last in SYMBOLS),
    *([ord(first), ord(last), kind, STANDS.get(kind, -1)] for first, last, kind in RANGES),
    *([point, point, OTHER, ord(" ")] for point in WHITE_SPACE),
]
"""Ranges of code points, as :class:`stela_causal.alphabet.Alphabet` reads them."""


def folded(char: str) -> str:
    """What stands for a character in pairs and triples."""
    stands = [to for first, last, _, to in KINDS if first <= ord(char) <= last]
    return char if stands[-1] < 0 else chr(stands[-1])


def alphabet_of(known: str, bits: int) -> Alphabet:
    """The alphabet of known characters, with 2**``bits`` buckets of pairs, and as many of triples."""
    return Alphabet(known, "".join(map(folded, known)), LENGTHS, bits, KINDS, syllables=True, grams=True)
