"""Other ways to cut a text than its tokenizer's: what might bring back the ids it was generated with.

Each is a function of the text alone. None is used at detection: docs/benchmarks.md has what they give.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tokenizers import Tokenizer

from stela_core.text.bpe_pairs import Merges

Ids = list[int]


def by_character(text: str, tokenizer: Tokenizer) -> Ids:
    """Each character cut alone: what a model writes that spells words out."""
    pieces = tokenizer.encode_batch_fast(list(text), add_special_tokens=False)
    return [index for piece in pieces for index in piece.ids]


def from_the_right(text: str, tokenizer: Tokenizer, size: int = 2) -> Ids:
    """Pieces of ``size`` characters, counted from the end, each cut alone."""
    bounds = [0, *range(len(text) % size or size, len(text), size), len(text)]
    pieces = tokenizer.encode_batch_fast([text[a:b] for a, b in pairwise(bounds)], add_special_tokens=False)
    return [index for piece in pieces for index in piece.ids]


def halved(ids: Sequence[int], merges: Merges) -> Ids:
    """Each token as the two that BPE merges into it last."""
    out: Ids = []
    for index in ids:
        whole = index >= len(merges.left) or merges.left[index] < 0
        out += [index] if whole else [int(merges.left[index]), int(merges.right[index])]
    return out


def readings(text: str, tokenizer: Tokenizer, merges: Merges) -> dict[str, Ids]:
    """All of them by name, the tokenizer's own first."""
    own = tokenizer.encode(text, add_special_tokens=False).ids
    return {
        "own": own,
        "by character": by_character(text, tokenizer),
        "twos from the right": from_the_right(text, tokenizer),
        "halves": halved(own, merges),
    }


def both(own: Ids, other: Ids, separator: int) -> Ids:
    """Pairs of either in one test: an id that is no text between them. Each distinct pair is one coin."""
    return [*own, separator, *other]
