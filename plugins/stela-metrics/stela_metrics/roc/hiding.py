"""Long documents with a marked passage in human text, whose place is known to the character."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from stela_run.words import WORD, spaceless

import stela_core as stela

Ids = Callable[[str], Sequence[int]]
"""Function from a text to its token ids."""


class Document(NamedTuple):
    """A text, and where its passage is."""

    text: str
    start: int
    end: int
    """The passage is ``text[start:end]``; both are 0 where there is none."""


class Hiding:
    """Make documents of marked texts and human ones.

    Args:
        watermark: cuts texts into tokens.
        human: texts that documents are of, each at most once in one.
        tokens: of the human text in a document; fewer where there is less.
        shortest: tokens of a passage, at least, where the marked text has them.
        longest: tokens of a passage, at most.
        seed: of what is drawn.
    """

    def __init__(
        self,
        watermark: stela.Watermark,
        human: Sequence[str],
        tokens: int,
        shortest: int,
        longest: int,
        seed: int,
    ) -> None:
        self._watermark = watermark
        self._human = human
        self._counts = [len(ids) for ids in watermark.detector.ids_of(human)]
        self._tokens = tokens
        self._lengths = shortest, longest
        self._seed = seed

    def with_passage(self, marked: str, number: int) -> Document:
        """The start of a marked text, of a drawn length, at a drawn place between words of human text.

        Args:
            marked: the text.
            number: of the document.
        """
        draws = np.random.default_rng([self._seed, number, 0])
        human = self._background(draws)
        available = len(self._watermark.detector.ids_of([marked])[0])
        longest = min(self._lengths[1], available)
        length = int(draws.integers(min(self._lengths[0], longest), longest + 1))
        passage = self._first(marked, length).strip()
        starts = [word.start() for word in WORD.finditer(human)]
        at = starts[int(draws.integers(len(starts)))] if starts else 0
        apart = "" if not human or not passage or spaceless(passage[-1], human[at]) else " "
        return Document(human[:at] + passage + apart + human[at:], at, at + len(passage))

    def without(self, number: int) -> Document:
        """Human text of another draw, with no passage."""
        return Document(self._background(np.random.default_rng([self._seed, number, 1])), 0, 0)

    def _background(self, draws: np.random.Generator) -> str:
        """Human texts from a drawn one on, and from the first again after the last."""
        first = int(draws.integers(len(self._human)))
        taken: list[str] = []
        left = self._tokens
        for number in [*range(first, len(self._human)), *range(first)]:
            if left <= 0:
                break
            whole = self._human[number]
            taken.append(whole if self._counts[number] <= left else self._first(whole, left))
            left -= self._counts[number]
        return "\n".join(taken)

    def _first(self, text: str, tokens: int) -> str:
        """The first tokens of a text."""
        return self._watermark.tokens.decode(self._watermark.detector.ids_of([text])[0][:tokens])
