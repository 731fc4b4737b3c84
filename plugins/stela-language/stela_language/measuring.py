"""How well a tagger does on the test part of a treebank."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import window_of
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


QUESTIONS = ("last tag", "last two tags", "last two tags and boundaries")


class Prefixes(NamedTuple):
    """What a tagger says of the ends of prefixes."""

    right: npt.NDArray[np.float64]
    """(p, 3) 1.0 where each of ``QUESTIONS`` is answered as in the treebank."""
    inside: npt.NDArray[np.bool_]
    """(p,) whether the prefix ends within a word."""
    texts: npt.NDArray[np.int64]
    """(p,) number of the text that the prefix is of: those of one text are not independent."""


def measure(tagger: stela.Tagger, sentences: Sequence[Sentence]) -> Measured:
    """Tag the text of the sentences, in order, and compare; words without a tag count for places only."""
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


def measure_prefixes(tagger: stela.Tagger, sentences: Sequence[Sentence], each: int, seed: int) -> Prefixes:
    """Cut texts at random characters, and compare the last two words of each prefix: what a context sees.

    A word that is cut has the tag of the whole one, and ends where the prefix does. Prefixes whose last two
    words have no tag in the treebank are left out. The tagger sees a window of the prefix, as in detection.

    Args:
        tagger: with its own window and unit.
        sentences: of a test part, in order.
        each: prefixes of a text of ``TOGETHER`` sentences.
        seed: of the places; the same for each tagger.
    """
    chance = np.random.default_rng(seed)
    right: list[list[bool]] = []
    inside: list[bool] = []
    texts: list[int] = []
    for number, first in enumerate(range(0, len(sentences), TOGETHER)):
        text, gold = joined(sentences[first : first + TOGETHER])
        ends = chance.integers(1, len(text) + 1, each).tolist()
        windows = [window_of(text[:end], tagger.window, tagger.unit) for end in ends]
        for end, window, tags in zip(ends, windows, tagger.tag(windows), strict=True):
            wanted = [(a, min(b, end), tag) for (a, b), tag in gold.items() if a < end][-2:]
            if len(wanted) < 2 or not all(tag for _, _, tag in wanted):
                continue
            shift = len(text[:end].rstrip()) - len(window.rstrip())
            said = [(tag.start + shift, tag.end + shift, tag.tag) for tag in tags[-2:]]
            same = [a[2] == b[2] for a, b in zip(wanted[::-1], said[::-1], strict=False)]
            right.append([any(same[:1]), len(same) == 2 and all(same), said == wanted])
            inside.append(any(a < end < b for a, b in gold))
            texts.append(number)
    return Prefixes(np.array(right, dtype=float), np.array(inside), np.array(texts))


def share_of(
    values: npt.NDArray[np.float64], texts: npt.NDArray[np.int64], draws: int = 1_000
) -> tuple[float, float, float]:
    """Mean of (p,) values with its 95 % interval: texts drawn again with replacement (Efron 1979).

    Args:
        values: of prefixes, or differences between two taggers.
        texts: (p,) number of each prefix's text.
        draws: of all texts.
    """
    sums, sizes = np.bincount(texts, values), np.bincount(texts)
    chosen = np.random.default_rng(0).integers(0, len(sizes), (draws, len(sizes)))
    means = sums[chosen].sum(1) / sizes[chosen].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(values.mean()), float(low), float(high)
