"""Words left out."""

from __future__ import annotations

import numpy as np
import stela_run
from stela_run.words import Pieces, drawn, join

from stela_attacks.edits.each import EachText, ShareParameters


class Delete(EachText[ShareParameters]):
    """Leave out a share of the words, drawn without regard to place; punctuation is kept."""

    name = "edits-delete"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with words left out, each with the white space before it."""
        words, gaps = Pieces.of(text)
        gone = set(drawn(self.parameters.share, len(words), draws))
        if not gone:
            return text
        kept: list[str] = []
        around = [gaps[0]]
        for number, word in enumerate(words):
            if number in gone:
                around[-1] = _closed(around[-1], gaps[number + 1], first=not kept)
            else:
                kept.append(word)
                around.append(gaps[number + 1])
        return join(kept, around)


def _closed(before: str, after: str, first: bool) -> str:
    """The gap that two gaps become when the word between them goes."""
    if first and not before.strip():
        return before + after.lstrip()
    return before.rstrip() + after
