"""Sentences of a text, by its punctuation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[”’」』）]*|\n+")
"""A full stop ends a sentence before white space (``3.5`` does not), a full-width one anywhere; so does a
line break. Abbreviations are cut too: sentences here are stretches to average over."""


def sentence_numbers(text: str, starts: Sequence[int]) -> list[int]:
    """The number of the sentence that each character offset lies in, from 0."""
    ends = [match.end() for match in END.finditer(text)]
    return [bisect_right(ends, start) for start in starts]
