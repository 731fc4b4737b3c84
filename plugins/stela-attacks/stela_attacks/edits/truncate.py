"""A part of the text."""

from __future__ import annotations

from typing import Literal

import numpy as np
import stela_run
from pydantic import Field
from stela_run.words import Pieces, share_of

import stela_core as stela
from stela_attacks.edits.each import EachText


class TruncateParameters(stela.Parameters):
    """How much is left, and of which part."""

    share: float = Field(0.5, gt=0, le=1)
    """Share of the words that is kept; at least one word."""

    keep: Literal["start", "middle", "end"] = "start"
    """Which part of the text is kept."""


class Truncate(EachText[TruncateParameters]):
    """Keep a share of the words, from the start, the middle or the end. Nothing is drawn."""

    name = "edits-truncate"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """The words that are kept, with what stands between them."""
        words, gaps = Pieces.of(text)
        count = max(share_of(self.parameters.share, len(words)), 1)
        if count >= len(words):
            return text
        spare = len(words) - count
        first = {"start": 0, "middle": spare // 2, "end": spare}[self.parameters.keep]
        kept = [part for pair in zip(words, gaps[1:], strict=True) for part in pair]
        part = "".join(kept[2 * first : 2 * (first + count) - 1])
        # The ends of the text keep what stands outside the words, such as the full stop.
        return (gaps[0] if first == 0 else "") + part + (gaps[-1] if first == spare else "")
