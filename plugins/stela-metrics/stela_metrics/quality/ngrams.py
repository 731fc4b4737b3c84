"""Repeated n-grams of texts: of words, and of characters where words are not spaced."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

UNSPACED = frozenset({"zh", "yue", "wuu", "ja", "th", "lo", "km", "my"})
"""Languages written without spaces between words."""

SIZES = (2, 3, 4)
MOST = 20.0
"""Log-diversity of a text that repeats nothing, where the logarithm has no value."""


def units_of(text: str, language: str) -> list[str]:
    """Words between white space, as they stand; characters that are not white space for ``zh`` and others.

    Args:
        text: any.
        language: ISO 639 code; a region after ``-`` or ``_`` does not matter.
    """
    code = language.replace("_", "-").split("-")[0].lower()
    words = text.split()
    return list(chain.from_iterable(words)) if code in UNSPACED else words


def ngrams_of(units: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of n units in order; none where there are fewer."""
    return list(zip(*(units[start:] for start in range(n)), strict=False))


def repetition(units: Sequence[str], n: int) -> float:
    """``seq-rep-n`` (Welleck et al., ICLR 2020): 1 - distinct n-grams / n-grams, in [0, 1).

    ``units`` has at least n.
    """
    ngrams = ngrams_of(units, n)
    return (len(ngrams) - len(set(ngrams))) / len(ngrams)


def diversity(units: Sequence[str]) -> float:
    """Product of ``1 - seq-rep-n`` over n = 2, 3, 4 (Su et al., NeurIPS 2022), in (0, 1]."""
    return math.prod(1 - repetition(units, n) for n in SIZES)


def log_diversity(units: Sequence[str]) -> float:
    """``-log(1 - diversity)`` (Kirchenbauer et al., ICLR 2024), in nats, at most :data:`MOST`."""
    return -math.log(max(1 - diversity(units), math.exp(-MOST)))


def distinct(texts: Sequence[Sequence[str]], n: int) -> float:
    """``distinct-n`` (Li et al., NAACL 2016): distinct n-grams of all texts over their n-grams, in (0, 1].

    It falls with the amount of text: compare it only at equal numbers of texts of equal length.
    """
    ngrams = list(chain.from_iterable(ngrams_of(units, n) for units in texts))
    return len(set(ngrams)) / len(ngrams)
