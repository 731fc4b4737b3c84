"""What the shipped Korean and Chinese taggers see of a word, as spaCy's lexical attributes.

spaCy's own features suit alphabets: the first letter and the last three. A Korean word carries its case
or ending in its last one or two syllables; most Chinese words have two characters. The pipelines name
the callback of their language in their configuration; importing this module registers both.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from spacy.attrs import LOWER, NAMES, NORM, PREFIX, SHAPE, SUFFIX
from spacy.language import Language
from spacy.util import registry

Getters = dict[int, Callable[[str], str]]


@lru_cache(maxsize=65_536)
def kind_of(character: str) -> str:
    """One letter: s(pace), d(igit), a(SCII letter), p(unctuation), h(an), l(etter), o(ther), - for none."""
    if not character:
        return "-"
    if character.isspace():
        return "s"
    if character.isdigit():
        return "d"
    if character.isascii() and character.isalpha():
        return "a"
    if unicodedata.category(character)[0] in "PS":
        return "p"
    if "\u4e00" <= character <= "\u9fff":
        return "h"
    return "l" if character.isalpha() else "o"


def length_and_kinds(word: str) -> str:
    """The length of a word, up to 4, and the kinds of its first and last character."""
    return f"{min(len(word), 4)}{kind_of(word[:1])}{kind_of(word[-1:])}"


KOREAN: Getters = {
    NORM: lambda word: word[-3:],
    LOWER: lambda word: word[:-1] or word,
    PREFIX: lambda word: word[:2],
    SUFFIX: lambda word: word[-2:],
    SHAPE: lambda word: word[-1:],
}
CHINESE: Getters = {
    NORM: lambda word: word[:2],
    LOWER: lambda word: word[-2:],
    PREFIX: lambda word: word[:1],
    SUFFIX: lambda word: word[-1:],
    SHAPE: length_and_kinds,
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
