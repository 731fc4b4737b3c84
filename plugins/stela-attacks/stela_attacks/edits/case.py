"""Capitals."""

from __future__ import annotations

from typing import Literal

import numpy as np
import stela_run
from stela_run.words import Pieces, put_back

import stela_core as stela
from stela_attacks.edits.each import EachText


class CaseParameters(stela.Parameters):
    """What becomes of the letters."""

    to: Literal["lower", "upper", "title"] = "lower"
    """All small, all capital, or each word's first letter a capital."""


class Case(EachText[CaseParameters]):
    """Write the whole text in small letters, in capitals, or with a capital in front of each word."""

    name = "edits-case"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text in another case; nothing is drawn."""
        if self.parameters.to == "lower":
            return text.lower()
        if self.parameters.to == "upper":
            return text.upper()
        words, gaps = Pieces.of(text)
        return put_back([word[:1].upper() + word[1:] for word in words], gaps)
