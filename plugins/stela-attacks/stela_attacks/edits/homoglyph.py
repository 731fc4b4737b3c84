"""Letters that look alike."""

from __future__ import annotations

import numpy as np
import stela_run
from stela_run.words import drawn

from stela_attacks.edits.each import EachText, ShareParameters

CYRILLIC = dict(zip("aceijopsxyABCEHIJKMOPSTX", "асеіјорѕхуАВСЕНІЈКМОРЅТХ", strict=True))
"""Latin letters, and the Cyrillic ones that most fonts draw alike."""


class Homoglyph(EachText[ShareParameters]):
    """Replace a share of the Latin letters that have a Cyrillic look-alike by it.

    Readers see no difference, tokenizers do. Detection undoes it where it reads a text's canonical form.
    """

    name = "edits-homoglyph"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text that looks the same."""
        letters = list(text)
        places = [at for at, letter in enumerate(letters) if letter in CYRILLIC]
        for at in drawn(self.parameters.share, len(places), draws):
            letters[places[at]] = CYRILLIC[letters[places[at]]]
        return "".join(letters)
