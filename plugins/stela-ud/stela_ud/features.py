"""What the shipped Korean and Chinese taggers see of a word, as spaCy's lexical attributes.

spaCy's own features suit alphabets: the first letter and the last three. A Korean word carries its case
or ending in its last one or two syllables; most Chinese words have two characters. The pipelines name
the callback of their language in their configuration; importing this module registers both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spacy.attrs import LOWER, NAMES, NORM, PREFIX, SHAPE, SUFFIX
from spacy.language import Language
from spacy.util import registry
from stela_spacy.word_parts import AllButLast, First, Last

from stela_ud.kinds import kind_of

Getters = dict[int, Callable[[str], str]]


@dataclass(frozen=True, slots=True)
class LengthAndKinds:
    """Length up to a limit, and the kinds of the first and the last character."""

    longest: int

    def __call__(self, word: str) -> str:
        """The length and kinds of a word."""
        return f"{min(len(word), self.longest)}{kind_of(word[:1])}{kind_of(word[-1:])}"


KOREAN: Getters = {
    NORM: Last(3),
    LOWER: AllButLast(),
    PREFIX: First(2),
    SUFFIX: Last(2),
    SHAPE: Last(1),
}
CHINESE: Getters = {
    NORM: First(2),
    LOWER: Last(2),
    PREFIX: First(1),
    SUFFIX: Last(1),
    SHAPE: LengthAndKinds(4),
}


def set_features(nlp: Language, getters: Getters) -> Language:
    """Give the words of a pipeline other lexical attributes, those it already knows included.

    spaCy lets no callback replace the class of the language, where it looks for them.
    """
    vocab: Any = nlp.vocab
    vocab.lex_attr_getters.update(getters)
    for lexeme in nlp.vocab:
        for attribute, getter in getters.items():
            setattr(lexeme, f"{NAMES[attribute].lower()}_", getter(lexeme.orth_))
    return nlp


@registry.callbacks("stela_ud.korean_features.v1")  # type: ignore[untyped-decorator]
def korean_features() -> Callable[[Language], Language]:
    """Ends and stems of Korean words."""
    return lambda nlp: set_features(nlp, KOREAN)


@registry.callbacks("stela_ud.chinese_features.v1")  # type: ignore[untyped-decorator]
def chinese_features() -> Callable[[Language], Language]:
    """First and last characters of Chinese words."""
    return lambda nlp: set_features(nlp, CHINESE)
