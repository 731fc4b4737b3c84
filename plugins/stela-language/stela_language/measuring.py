"""How well a tagger does on the test part of a treebank."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import stela_core as stela
from stela_language.treebank import Sentence

TOGETHER = 20
"""Sentences that are tagged as one text."""


class Measured(NamedTuple):
    """Figures of a test part; shares from 0 to 1."""

    words: int
    boundaries: float
    """F1 of the places of words: harmonic mean of precision and recall."""
    tags: float
    """Share of words with right places whose tags are right."""
    both: float
    """F1 of places and tags together."""
    words_per_second: float


def measure(tagger: stela.Tagger, sentences: Sequence[Sentence]) -> Measured:
    """Tag the text of the sentences, in order, and compare; words without a tag count for places alone."""
    right_places = right_tags = tagged = given = judged = 0
    seconds = 0.0
    for first in range(0, len(sentences), TOGETHER):
        text, gold = joined(sentences[first : first + TOGETHER])
        begun = time.perf_counter()
        [tags] = tagger.tag([text])
        seconds += time.perf_counter() - begun
        said = words_of(tags)
        given += len(gold)
        tagged += len(said)
        for place in gold.keys() & said.keys():
            right_places += 1
            if gold[place]:
                judged += 1
                right_tags += gold[place] == said[place]
    return Measured(
        given,
        f1(right_places, given, tagged),
        right_tags / judged if judged else 0.0,
        f1(right_tags + right_places - judged, given, tagged),
        tagged / max(seconds, 1e-9),
    )


def f1(right: int, given: int, said: int) -> float:
    """2 right / (given + said): the harmonic mean of precision and recall (van Rijsbergen 1979)."""
    return 2 * right / (given + said) if given + said else 0.0


def joined(sentences: Iterable[Sentence]) -> tuple[str, dict[tuple[int, int], str]]:
    """The text of sentences, and the label at each place of a word."""
    text = ""
    places: dict[tuple[int, int], str] = {}
    for one in sentences:
        places |= {(len(text) + word.start, len(text) + word.end): word.label for word in one.words}
        text += one.text + " " * one.spaced
    return text, places


def words_of(tags: Sequence[stela.Tag]) -> dict[tuple[int, int], str]:
    """The label at each place: tags of words that are written as one are joined, as in a treebank."""
    by_place = groupby(tags, key=lambda tag: (tag.start, tag.end))
    return {place: "+".join(tag.tag for tag in same) for place, same in by_place}
