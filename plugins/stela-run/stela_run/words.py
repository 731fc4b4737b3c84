"""Words of a text in any script, what stands between them, and putting them together again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np
import regex

_NO_SPACES = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTERS = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{_NO_SPACES}]+"
WORD = regex.compile(rf"(?V1){_NO_SPACES}\p{{M}}*|{_LETTERS}(?:['’\-]{_LETTERS})*")
"""A run of letters and digits, with apostrophes and hyphens inside it; or, of a script that writes no
spaces, one character. Which one is decided by the script of each character, not by the language."""

_ALONE = regex.compile(rf"(?V1){_NO_SPACES}\p{{M}}*")
_SPACELESS = regex.compile(rf"(?V1)(?:{_NO_SPACES}|[[\u3000-\u303f\uff00-\uffef]&&\p{{P}}]){{2}}")


class Pieces(NamedTuple):
    """A text cut into words and gaps; ``gaps`` has one more entry: before, between and after the words."""

    words: list[str]
    gaps: list[str]

    @classmethod
    def of(cls, text: str) -> Pieces:
        """Cut; :func:`join` of the pieces is the text."""
        words, gaps, end = [], [], 0
        for match in WORD.finditer(text):
            gaps.append(text[end : match.start()])
            words.append(match.group())
            end = match.end()
        gaps.append(text[end:])
        return cls(words, gaps)


def put_back(words: Iterable[str], gaps: Iterable[str]) -> str:
    """The text of gaps and words in turn, the gaps first; either may be the longer."""
    return "".join(chain.from_iterable(zip_longest(gaps, words, fillvalue="")))


def join(words: Sequence[str], gaps: Sequence[str]) -> str:
    """The text; a space is put in where two words would become one."""
    parts = [gaps[0]]
    for number, word in enumerate(words):
        if number and merges(words[number - 1], gaps[number], word):
            parts.append(" ")
        parts += (word, gaps[number + 1])
    return "".join(parts)


def merges(left: str, gap: str, right: str) -> bool:
    """Whether two words with this gap between them read as something else than two words."""
    return bool(WORD.findall(left + gap + right) != [left, right])


def alone(word: str) -> bool:
    """Whether the word is a character of a script that writes no spaces."""
    return _ALONE.fullmatch(word) is not None


def spaceless(left: str, right: str) -> bool:
    """Whether no space is written between two characters: both of scripts without spaces."""
    return _SPACELESS.fullmatch(left + right) is not None


def count_words(text: str) -> int:
    """How many words a text has."""
    return sum(1 for _ in WORD.finditer(text))


def drawn(share: float, count: int, draws: np.random.Generator) -> list[int]:
    """Places of a share of ``count`` things, each at most once, in the order in which they were drawn."""
    places: list[int] = draws.choice(count, share_of(share, count), replace=False).tolist()
    return places


def share_of(share: float, count: int) -> int:
    """A share of ``count`` words, rounded to the nearest whole number, halves up."""
    return int(share * count + 0.5)
