"""Punctuation."""

from __future__ import annotations

from typing import Literal

import numpy as np
import stela_run
from stela_run.words import drawn

from stela_attacks.edits.each import EachText, ShareParameters

KINDS = (",.;:!?", "，。；：！？、")
"""Marks that trade with each other: of scripts that write spaces, and of those that do not."""


class PunctuationParameters(ShareParameters):
    """How much is changed, and how."""

    how: Literal["drop", "swap"] = "drop"
    """Whether a mark is left out, or another one takes its place."""


class Punctuation(EachText[PunctuationParameters]):
    """Leave out a share of the commas, stops and question marks, or put another mark in their place."""

    name = "edits-punctuation"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text; marks inside a word or number, such as 3.5, are kept."""
        characters = list(text)
        places = [at for at in range(len(text)) if _is_mark(text, at)]
        for at in sorted(drawn(self.parameters.share, len(places), draws)):
            mark = characters[places[at]]
            others = next(kind for kind in KINDS if mark in kind).replace(mark, "")
            drop = self.parameters.how == "drop"
            characters[places[at]] = "" if drop else others[int(draws.integers(len(others)))]
        return "".join(characters)


def _is_mark(text: str, at: int) -> bool:
    if text[at] in KINDS[1]:
        return True
    return text[at] in KINDS[0] and not text[at + 1 : at + 2].isalnum()
