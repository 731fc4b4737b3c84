"""Cut runs without white space: spaCy's tokenizer needs quadratic time for them (36 s for 10,000 emoji)."""

from __future__ import annotations

import re
from itertools import pairwise

LONGEST_RUN = 100
"""Characters without white space that are handed to the tokenizer at once."""

_LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN}}}(?=\S)")


def pieces(text: str) -> list[tuple[int, str]]:
    """``text`` as (offset, piece); cut after each 100th character of a longer run, mostly not at all."""
    if len(text) <= LONGEST_RUN:
        return [(0, text)]
    cuts = [0, *(match.end() for match in _LONG_RUN.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in pairwise(cuts)]
