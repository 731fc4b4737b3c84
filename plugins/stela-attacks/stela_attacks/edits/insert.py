"""Words of other texts put in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import stela_run
from stela_run.words import WORD, Pieces, alone, drawn, join

from stela_attacks.edits.each import EachText, ShareParameters


class Insert(EachText[ShareParameters]):
    """Put words of human text before a share of the words, each drawn as often as it occurs there.

    Where there is no human text, words of the text itself are drawn.
    """

    name = "edits-insert"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with words put in; none into a text without words."""
        words, gaps = Pieces.of(text)
        places = set(drawn(self.parameters.share, len(words), draws))
        if not places:
            return text
        pool = _words_of(tuple(circumstances.human)) or words
        longer: list[str] = []
        around = [gaps[0]]
        for number, word in enumerate(words):
            if number in places:
                new = pool[int(draws.integers(len(pool)))]
                longer.append(new)
                around.append("" if alone(new) and alone(word) else " ")
            longer.append(word)
            around.append(gaps[number + 1])
        return join(longer, around)


@lru_cache(maxsize=4)
def _words_of(texts: Sequence[str]) -> list[str]:
    return [word for text in texts for word in WORD.findall(text)]
