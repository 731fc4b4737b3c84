"""What a judge's answer says."""

from __future__ import annotations

import re
from typing import Literal

Verdict = Literal["first", "second", "tie"]

VERDICTS: dict[str, Verdict] = {"A": "first", "B": "second", "C": "tie", "TIE": "tie"}
MARKED = re.compile(r"\[\[\s*(A|B|C|TIE)\s*\]\]", re.IGNORECASE)
BARE = re.compile(r"[\s\"'`*\[(]*(A|B|C|TIE)[\s\"'`*\]).]*", re.IGNORECASE)


def verdict_of(answer: str) -> Verdict | None:
    """The last ``[[A]]``, ``[[B]]`` or ``[[C]]``, as a judge may think aloud first; or one bare letter.

    Returns:
        ``None`` where the answer is neither: nothing is guessed from prose.
    """
    marked = MARKED.findall(answer)
    if marked:
        return VERDICTS[marked[-1].upper()]
    bare = BARE.fullmatch(answer)
    return VERDICTS[bare[1].upper()] if bare else None
