"""Words that trade places."""

from __future__ import annotations

import numpy as np
import stela_run
from stela_run.words import Pieces, join, share_of

from stela_attacks.edits.each import EachText, ShareParameters


class Swap(EachText[ShareParameters]):
    """Draw a share of the words, in pairs from anywhere in the text, and let each pair trade places."""

    name = "edits-swap"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with the same words and gaps in another order."""
        words, gaps = Pieces.of(text)
        pairs = min(share_of(self.parameters.share / 2, len(words)), len(words) // 2)
        if not pairs:
            return text
        drawn = draws.choice(len(words), 2 * pairs, replace=False).tolist()
        for left, right in zip(drawn[:pairs], drawn[pairs:], strict=True):
            words[left], words[right] = words[right], words[left]
        return join(words, gaps)
