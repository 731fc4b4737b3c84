"""Cut runs without white space: spaCy's tokenizer needs quadratic time for them (36 s for 10,000 emoji)."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

LONGEST_RUN = 100
"""Characters without white space that spaCy's rule-based tokenizer is handed at once."""
LONGEST_SEGMENT = 10_000
"""The same for tokenizers of scripts without spaces, some of which refuse more than about 16,000."""


def pieces(text: str, longest: int = LONGEST_RUN) -> list[tuple[int, str]]:
    """``text`` as (offset, piece); cut after each ``longest`` characters of a run, mostly not at all."""
    if len(text) <= longest:
        return [(0, text)]
    cuts = [0, *(match.end() for match in _long_run(longest).finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in pairwise(cuts)]


@cache
def _long_run(longest: int) -> re.Pattern[str]:
    return re.compile(rf"\S{{{longest}}}(?=\S)")
