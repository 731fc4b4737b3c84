"""Marked text pasted into human text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import stela_run
from pydantic import Field
from stela_run.words import Pieces, count_words, share_of, spaceless

import stela_core as stela
from stela_attacks.edits.each import EachText


class PasteParameters(stela.Parameters):
    """How much of the result is marked, and in how many passages."""

    share: float = Field(0.25, gt=0, le=1)
    """Share of the result's words that are the marked text's."""

    passages: int = Field(1, ge=1, le=100)
    """Pieces of about equal length that the marked text is cut into; fewer where it has fewer words."""


class Paste(EachText[PasteParameters]):
    """Copy-paste (Kirchenbauer et al., ICLR 2024): the whole marked text, amid human text.

    The human texts are taken from a drawn one on, and from the first again after the last, up to as
    many words as are needed; the passages stand in their order, at drawn places between words.
    """

    name = "edits-paste"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One marked text with human text before, between and after its passages.

        Raises:
            StelaError: there is no human text.
        """
        marked = Pieces.of(text)
        wanted = share_of((1 - self.parameters.share) / self.parameters.share, len(marked.words))
        if not wanted:
            return text
        human = Pieces.of(_human(circumstances, wanted, draws))
        count = min(self.parameters.passages, len(marked.words), wanted + 1)
        places = sorted(draws.choice(wanted + 1, count, replace=False).tolist())
        cuts = [round(number * len(marked.words) / count) for number in range(count + 1)]
        parts: list[str] = []
        start = 0
        for number, place in enumerate(places):
            parts.append(_span(human, start, place))
            parts.append(_span(marked, cuts[number], cuts[number + 1]))
            start = place
        parts.append(_span(human, start, wanted))
        return _glue(part for part in parts if part)


def _human(circumstances: stela_run.Circumstances, wanted: int, draws: np.random.Generator) -> str:
    """Human texts, one after the other, of at least ``wanted`` words."""
    counted = [(text, count_words(text)) for text in circumstances.human]
    usable = [(text, count) for text, count in counted if count]
    if not usable:
        raise stela.StelaError(
            'attack "edits-paste" needs human text, and there is none.',
            f'give the language {circumstances.language} a "human" file in the experiment',
        )
    number = int(draws.integers(len(usable)))
    taken: list[str] = []
    while wanted > 0:
        text, count = usable[number % len(usable)]
        taken.append(text)
        wanted -= count
        number += 1
    return "\n".join(taken)


def _span(pieces: Pieces, start: int, stop: int) -> str:
    """Words from ``start`` up to ``stop`` with the gaps after them, white space at the ends left out."""
    if start == stop:
        return ""
    parts = [pieces.gaps[0]] if start == 0 else []
    for number in range(start, stop):
        parts += (pieces.words[number], pieces.gaps[number + 1])
    return "".join(parts).strip()


def _glue(parts: Iterable[str]) -> str:
    """Passages one after the other, with a space where the script writes one."""
    text = ""
    for part in parts:
        text += part if not text or spaceless(text[-1], part[0]) else f" {part}"
    return text
