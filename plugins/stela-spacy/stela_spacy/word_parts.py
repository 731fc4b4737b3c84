"""Parts of a word as lexical attributes that say what they are, so that they can be written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Spec = tuple[str, int]
"""A part and its length: ``("first", 2)``."""


@dataclass(frozen=True, slots=True)
class First:
    """The first characters."""

    length: int

    def __call__(self, word: str) -> str:
        """The first characters of a word."""
        return word[: self.length]

    @property
    def spec(self) -> Spec:
        """Name and length of the part."""
        return "first", self.length


@dataclass(frozen=True, slots=True)
class Last:
    """The last characters."""

    length: int

    def __call__(self, word: str) -> str:
        """The last characters of a word."""
        return word[-self.length :]

    @property
    def spec(self) -> Spec:
        """Name and length of the part."""
        return "last", self.length


@dataclass(frozen=True, slots=True)
class AllButLast:
    """The word without its last characters, or all of it where nothing is left."""

    length: int = 1

    def __call__(self, word: str) -> str:
        """A word without its last characters."""
        return word[: -self.length] or word

    @property
    def spec(self) -> Spec:
        """Name and length of the part."""
        return "all-but-last", self.length


def spec_of(getter: Callable[[str], Any]) -> Spec | None:
    """What an attribute of spaCy's or one of these is; ``None`` where it is another."""
    from spacy.lang import lex_attrs
    from spacy.util import _get_attr_unless_lookup

    spec: Spec | None = getattr(getter, "spec", None)
    if spec is not None:
        return spec
    known: dict[Any, Spec] = {
        str: ("last", 1 << 30),
        lex_attrs.lower: ("lower", 0),
        lex_attrs.prefix: ("first", 1),
        lex_attrs.suffix: ("last", 3),
        lex_attrs.word_shape: ("shape", 0),
    }
    looked_up = getattr(getter, "func", None) is _get_attr_unless_lookup
    if looked_up and getter.args[0] is lex_attrs.lower:  # type: ignore[attr-defined]
        return "norm", 0
    return known.get(getter)
