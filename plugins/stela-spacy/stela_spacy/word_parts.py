"""Parts of a word as lexical attributes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class First:
    """The first characters."""

    length: int

    def __call__(self, word: str) -> str:
        """The first characters of a word."""
        return word[: self.length]


@dataclass(frozen=True, slots=True)
class Last:
    """The last characters."""

    length: int

    def __call__(self, word: str) -> str:
        """The last characters of a word."""
        return word[-self.length :]


@dataclass(frozen=True, slots=True)
class AllButLast:
    """The word without its last characters, or all of it where nothing is left."""

    length: int = 1

    def __call__(self, word: str) -> str:
        """A word without its last characters."""
        return word[: -self.length] or word
