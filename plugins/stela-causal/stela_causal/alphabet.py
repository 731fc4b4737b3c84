"""Characters to numbers for taggers of any script: what a model knows of them travels with it.

Nothing here asks Python's Unicode tables, which differ from version to version: which characters are the same
but for their case, and which are digits, is written into a model when it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_causal.code_points import OUTSIDE, WHITE_SPACE, Ids, code_points, laid_out
from stela_causal.grams import grams, keys_of
from stela_causal.layers import Flags
from stela_causal.plain import Start
from stela_causal.plain import endings as plain_endings

NOTHING, SPACE, FIRST_UNKNOWN = range(3)
BLOCKS = 32
"""Ids of unknown characters: those of one script mostly share one."""
BLOCK_SIZE = 256
"""Code points that share the id of an unknown character; about a block of Unicode."""
FIRST_KNOWN = FIRST_UNKNOWN + BLOCKS
FIRST_SYLLABLE, SYLLABLES = 0xAC00, 11_172
JAMO = (19, 21, 28)
"""Initials, medials and finals that a syllable of Hangul is one of each of (Unicode 16.0, section 3.12.2)."""


class Encoded(NamedTuple):
    """Texts one behind the other, with a gap after each."""

    chars: Ids
    """(n,) id of each character; 0 in gaps."""
    endings: Ids
    """(n, lengths) rows of the endings, up to each place, of the word or the text that stands there."""
    inside: Flags
    """(n,) whether a place lies in a text; false in gaps."""
    space: Flags
    """(n,) whether a place is white space; true in gaps, too."""
    starts: list[int]
    """The first place of each text."""


class Alphabet:
    """The characters that a model knows, and how endings of words or of texts are put into buckets.

    Args:
        known: characters, each once, no white space.
        folded: as many: what stands for each in endings, such as its lower case, or 0 for a digit.
        lengths: of endings, ascending; a longer one than the word so far is the whole of it.
        bits: 2**bits buckets for each length.
        kinds: of unknown characters, ranges (first, last, kind, what stands for them in endings, or -1 for
            themselves), of which later ones count; none: by blocks.
        syllables: whether each syllable of Hangul has an id, behind all others.
        grams: whether endings are the last characters of the text, white space or not (:mod:`.grams`).
        pairs: all pairs that have a row, joined, where endings are the last two characters.
    """

    def __init__(
        self,
        known: str,
        folded: str,
        lengths: Sequence[int],
        bits: int,
        kinds: Sequence[Sequence[int]] = (),
        syllables: bool = False,
        grams: bool = False,
        pairs: str = "",
    ) -> None:
        self.known, self.folded, self.bits, self.grams = known, folded, bits, grams
        self.lengths = tuple(lengths)
        first = FIRST_UNKNOWN + (1 + max(kind[2] for kind in kinds) if kinds else BLOCKS)
        self.size = first + len(known)
        """The number of ids, but for those of syllables."""
        self.rows = 1 + len(pairs) // 2 if pairs else 1 << bits
        """The number of rows of the endings of a length."""
        points = code_points(known)
        self._ids = self.unknown(np.arange(OUTSIDE + 1)).astype(np.int32)
        self._folded = np.arange(OUTSIDE + 1, dtype=np.int32)
        for start, last, kind, stands in kinds:
            self._ids[start : last + 1] = FIRST_UNKNOWN + kind
            if stands >= 0:
                self._folded[start : last + 1] = stands
        self._ids[points] = np.arange(first, self.size)
        self._ids[list(WHITE_SPACE)] = SPACE
        self._ids[OUTSIDE] = NOTHING
        self._folded[points] = code_points(folded)
        hangul = slice(FIRST_SYLLABLE, FIRST_SYLLABLE + SYLLABLES)
        self.syllables = self._ids[hangul].copy() if syllables else None
        """The ids that syllables would share or have otherwise, (11172,)."""
        if syllables:
            self._ids[hangul] = self.size + np.arange(SYLLABLES)
        self.pairs = keys_of(code_points(pairs))
        """The keys of known pairs, ascending, then a greater one, and the row of each."""
        self.start = Start()
        """What says when numba is to be started, for all that works with the texts of this alphabet."""

    @property
    def lookups(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The id of each code point, and what stands for it in endings, both (code points,) int32."""
        return self._ids, self._folded

    def encode(self, texts: Sequence[str], gap: int) -> Encoded:
        """The ids of all characters of ``texts``, with ``gap`` >= 1 places of nothing after each text."""
        return self.encode_points(*laid_out(texts, gap))

    def encode_points(self, points: Ids, starts: list[int]) -> Encoded:
        """What :meth:`encode` returns, from code points (n,) that hold ``OUTSIDE`` in gaps."""
        chars = self._ids[points].astype(np.int64)
        space = chars <= SPACE
        folded = self._folded[points].astype(np.int64)
        given = folded, space, np.array(self.lengths), self.bits
        if self.grams:
            buckets = grams(folded, self.lengths, self.bits, *self.pairs)
        elif self.start.is_due(len(points)):
            from stela_causal.endings import endings

            buckets = endings(*given)
        else:
            buckets = plain_endings(*given)
        return Encoded(chars, buckets, points != OUTSIDE, space, starts)

    def unknown(self, points: Ids) -> Ids:
        """The ids, (n,), that code points (n,) have where a model knows neither them nor their kinds."""
        return points // BLOCK_SIZE % BLOCKS + FIRST_UNKNOWN
