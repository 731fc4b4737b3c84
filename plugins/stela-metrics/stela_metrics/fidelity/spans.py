"""Where tokens stand in the characters of their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from stela_core.api import TokenBytes


class Span(NamedTuple):
    """A token and the characters it completes: ``text[start:end]``."""

    token: int
    start: int
    end: int


def spans_of(ids: Sequence[int], tokens: TokenBytes) -> list[Span]:
    """The span of each token; one that completes no character has an empty one."""
    text, ends = tokens.text_and_ends(ids)
    return [
        Span(*row) for row in zip(ids, ends, [end for _, end in pairwise([*ends, len(text)])], strict=True)
    ]


def lost_share(generated: Sequence[int], encoded: Sequence[int], tokens: TokenBytes, length: int) -> float:
    """Share of the first ``length`` generated ids that are not in the text's own tokenisation.

    An id is there if the same id stands for the same characters of the text. Ids of equal spans (pieces
    of one character) are matched one to one.

    Args:
        generated: ids of a text as generated, at least one.
        encoded: ids that its text, decoded, is tokenised to.
        tokens: bytes of the ids.
        length: generated ids that count.
    """
    counted = spans_of(generated, tokens)[:length]
    kept = Counter(counted) & Counter(spans_of(encoded, tokens))
    return 1 - kept.total() / len(counted)
