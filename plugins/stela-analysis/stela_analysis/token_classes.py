"""The word class of each token of a text: that of the word it belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import stela_core as stela
from stela_analysis.word_classes import WordClass
from stela_core.api import TokenBytes


def token_starts(ids: Sequence[int], tokens: TokenBytes) -> tuple[str, list[int]]:
    """A text, and for each of its tokens the first character that is not white space.

    A token of only white space starts where it begins. One that completes no character, or nothing but
    white space, starts at the character whose bytes it begins or continues.

    Args:
        ids: token ids of the text.
        tokens: their bytes.
    """
    text, ends = tokens.text_and_ends(ids)
    starts = []
    for index, start, stop in zip(ids, ends, [*ends[1:], len(text)], strict=True):
        piece = text[start:stop]
        if piece.strip():
            start += len(piece) - len(piece.lstrip())
        elif not piece.encode("utf-8", "replace").endswith(tokens[index]):
            start = stop  # " " and the first bytes of a Korean or Chinese character, say
        starts.append(start)
    return text, starts


def classes_at(
    starts: Sequence[int], tags: Sequence[stela.Tag], classes: Mapping[str, WordClass]
) -> list[WordClass]:
    """The class of the word at each of some characters; other where there is none.

    A token that spans several words or morphemes belongs to the first; of morphemes merged into one syllable
    (Korean) the first, the stem, counts.

    Args:
        starts: character offsets.
        tags: of the text, in its order.
        classes: by tag.
    """
    # The first of those that share a start, in the order of starts.
    firsts: dict[int, stela.Tag] = {}
    for tag in tags:
        firsts.setdefault(tag.start, tag)
    begins = sorted(firsts)
    at_places: list[WordClass] = []
    for start in starts:
        n = bisect_right(begins, start) - 1
        word = firsts[begins[n]] if n >= 0 else None
        inside = word is not None and start < word.end
        at_places.append(classes.get(word.tag, "other") if word is not None and inside else "other")
    return at_places
