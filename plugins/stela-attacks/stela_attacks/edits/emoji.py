"""Emoji."""

from __future__ import annotations

import numpy as np
import stela_run
from stela_run.words import Pieces, alone, drawn, put_back

from stela_attacks.edits.each import EachText, ShareParameters

EMOJI = "😀😂😍🤔👍🎉🔥✨"


class Emoji(EachText[ShareParameters]):
    """Put an emoji after a share of the words.

    The attack of the same name in Kirchenbauer et al. (ICML 2023) asks the model for emoji and takes them out
    again; this one needs no model, and leaves them in.
    """

    name = "edits-emoji"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with all its words, and emoji between them."""
        words, gaps = Pieces.of(text)
        for at in drawn(self.parameters.share, len(words), draws):
            space = "" if alone(words[at]) else " "
            gaps[at + 1] = space + EMOJI[int(draws.integers(len(EMOJI)))] + gaps[at + 1]
        return put_back(words, gaps)
