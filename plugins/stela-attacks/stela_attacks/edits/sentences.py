"""The order of sentences."""

from __future__ import annotations

import numpy as np
import regex
import stela_run
from stela_run.words import put_back

import stela_core as stela
from stela_attacks.edits.each import EachText

_CLOSING = r"""["'”’»)\]」』）]*"""
_BREAK = regex.compile(
    rf"[.!?…।؟]{_CLOSING}\K\s++(?!\Z)|[。！？]{_CLOSING}\K\s*+(?!\Z|[。！？])|(?<=\S)[^\S\n]*+\n\s*+(?!\Z)"
)
"""Break between sentences: space after a stop, or nothing after a Chinese or Japanese one; a line break."""


class Sentences(EachText[stela.Parameters]):
    """Put the sentences into another order.

    A sentence ends at a full stop, question or exclamation mark before a space, at one of Chinese or
    Japanese, and where the line ends. The stop of an abbreviation counts, too.
    """

    name = "edits-sentences"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with the same sentences; the space between them is not moved."""
        sentences, gaps = split(text)
        moved = [sentences[at] for at in draws.permutation(len(sentences)).tolist()]
        return put_back(gaps, moved)


def split(text: str) -> tuple[list[str], list[str]]:
    """Sentences, and what stands between them: one fewer."""
    sentences, gaps, end = [], [], 0
    for match in _BREAK.finditer(text):
        sentences.append(text[end : match.start()])
        gaps.append(match.group())
        end = match.end()
    return [*sentences, text[end:]], gaps
