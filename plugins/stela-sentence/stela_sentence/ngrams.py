"""The built-in embedder: hashed words and parts of words, in whole numbers; the same on every machine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

LENGTH = 127
"""Length of vectors before they are rounded."""

DIMENSIONS = 256

_RUN = re.compile(r"[^\W_]+")
_PERSON = b"stela/ngrams/1"


class Ngrams:
    """Counts of features of a sentence, each hashed to a place and a sign (Weinberger et al., ICML 2009).

    Features are words, weighed by their length up to 8 letters less 2, and their beginnings of 4 letters.
    Where a script has no capital letters (Chinese, Japanese, Korean), they are pairs of neighbouring
    characters. Short words and endings say little of the meaning, and edits change them first.
    It reads words, not meaning: a paraphrase in other words is another sentence to it.
    """

    name = "ngrams"
    fingerprint: str | None = None
    """None: the definition never changes (golden vectors in the tests)."""
    dimensions = DIMENSIONS

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Embeddings (n, 256), int64, of length 127 up to rounding; 0 for a text without features."""
        out = np.zeros((len(texts), DIMENSIONS), dtype=np.int64)
        for row, text in zip(out, texts, strict=True):
            for feature, weight in _features(text):
                place, sign = _hashed(feature)
                row[place] += sign * weight
        # Sums are exact, and square roots and divisions are rounded alike everywhere.
        lengths = np.sqrt((out * out).sum(axis=1, keepdims=True))
        return np.asarray(np.rint(LENGTH * out / np.maximum(lengths, 1)), dtype=np.int64)


class KeptNgrams(Ngrams):
    """The same, and keeps what it embedded: for texts that are tested under many keys."""

    def __init__(self) -> None:
        self._known: dict[str, npt.NDArray[np.int64]] = {}

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Embeddings as of :class:`Ngrams`."""
        for text in texts:
            if text not in self._known:
                self._known[text] = super().vectors([text])[0]
        return np.stack([self._known[text] for text in texts])


def _features(text: str) -> Iterator[tuple[str, int]]:
    for match in _RUN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match[0]
        if word.upper() == word.lower() and not word.isascii():
            yield from ((word[start : start + 2], 2) for start in range(max(1, len(word) - 1)))
        elif len(word) > 2:
            weight = min(len(word), 8) - 2
            yield f"{word} ", weight
            yield word[:4], weight


@lru_cache(maxsize=1 << 16)
def _hashed(feature: str) -> tuple[int, int]:
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=8, person=_PERSON).digest()
    number = int.from_bytes(digest, "little")
    return number % DIMENSIONS, 1 if number >> 63 else -1
