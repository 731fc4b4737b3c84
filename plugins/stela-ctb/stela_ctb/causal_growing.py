"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from stela_causal.convolution import Reals, compiled
from stela_causal.growing import PLACES, Growing, Tags
from stela_causal.growing_layers import END, FIRST, SCORED, START, GrowingLayers, Marks

from stela_ctb.causal_kernels import last_words
from stela_ctb.causal_network import DELAY
from stela_ctb.characters import BITS, FOLDED, OUTSIDE, SPACE, SPECIAL_PAIRS, UNKNOWN_PAIR, Ids
from stela_ctb.kernels import Flags

if TYPE_CHECKING:
    from stela_ctb.causal_fast import CausalArrays

NOTHING = int(FOLDED[OUTSIDE])
"""What stands before a text in pairs."""
KNOWN_PAIRS = len(SPECIAL_PAIRS)


@compiled
def _put_vectors(
    points: Ids,
    strips: Ids,
    done: Marks,
    ids: Ids,
    folded: Ids,
    keys: Ids,
    chars: Reals,
    pairs: Reals,
    kept: Ids,
    space: Flags,
    given: Reals,
) -> None:
    """What :meth:`.CausalArrays.given` has for a text, for some places of many."""
    width = chars.shape[1]
    number = 0
    for row in range(len(strips)):
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = ids[point]
            kept[place], space[place], done[:, place] = folded[point], char == SPACE, 0
            before = kept[place - 1] if place > strips[row, 0] else NOTHING
            key = before << BITS | kept[place]
            at = np.searchsorted(keys, key)
            given[place, :width] = chars[char]
            given[place, width:] = pairs[at + KNOWN_PAIRS if keys[at] == key else UNKNOWN_PAIR]


@compiled
def _last_words(
    new: Ids,
    cuts: Reals,
    begins: Flags,
    tags: Reals,
    space: Flags,
    bounds: Ids,
    cut_reach: int,
    tag_reach: int,
    count: int,
) -> tuple[Ids, Ids, Ids]:
    """Words (m, count, 3) of :func:`last_words`, and what it returns; ``begins`` of ``new`` places is kept."""
    for number in range(len(new)):
        place = new[number]
        for delay in range(DELAY + 1):
            begins[place, delay] = cuts[place, 2 * delay + 1] > cuts[place, 2 * delay]
    starts, ends = bounds[:, START].copy(), bounds[:, END].copy()
    cut_from, tagged_from = bounds[:, SCORED].copy(), bounds[:, SCORED].copy()
    for row in range(len(bounds)):
        if starts[row] > bounds[row, FIRST]:
            cut_from[row] = max(cut_from[row], starts[row] + cut_reach)
            tagged_from[row] = max(tagged_from[row], starts[row] + tag_reach)
    words = np.zeros((len(bounds), count, 3), np.int64)
    sizes, unsure = last_words(begins, tags, space, starts, ends, cut_from, tagged_from, count, words)
    return words, sizes, unsure


class _GrowingArrays:
    """One network, and the characters of texts as it knows them."""

    def __init__(self, arrays: CausalArrays) -> None:
        self.layers = GrowingLayers(arrays.layers, arrays.dilations, arrays.labels, arrays.reach, PLACES)
        self.space = np.zeros(PLACES, np.bool_)
        self._kept = np.zeros(PLACES, np.int64)
        self._known = *arrays.characters.lookups, *arrays.tables

    def read(self, points: Ids, strips: Ids) -> None:
        layers = self.layers
        _put_vectors(points, strips, layers.done, *self._known, self._kept, self.space, layers.given)


class GrowingPair(Growing):
    """The end of :class:`.CausalPair`: the same tags for windows that go on from others.

    Args:
        tokenizer: its network.
        tagger: its network.
        names: of tags.
    """

    def __init__(self, tokenizer: CausalArrays, tagger: CausalArrays, names: Sequence[str]) -> None:
        super().__init__(max(tokenizer.reach, tagger.reach))
        self._tokenizer, self._tagger = _GrowingArrays(tokenizer), _GrowingArrays(tagger)
        self._names = names
        self._begins = np.zeros((PLACES, DELAY + 1), np.bool_)

    def _read(self, points: Ids, strips: Ids) -> None:
        self._tokenizer.read(points, strips)
        self._tagger.read(points, strips)

    def _judge(self, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        cut, tagged = self._tokenizer.layers, self._tagger.layers
        new = cut.compute(bounds)
        tagged.compute(bounds)
        reaches = cut.reach, tagged.reach
        space = self._tokenizer.space
        words = _last_words(new, cut.scores, self._begins, tagged.scores, space, bounds, *reaches, units)
        return names_of(self._names, *words)


def names_of(names: Sequence[str], words: Ids, sizes: Ids, unsure: Ids) -> list[Tags | None]:
    """Tags of words (m, count, 3), of which the last one comes first; ``None`` where unsure."""
    return [
        None if other else tuple([names[tag] for tag in row[:size][::-1]])
        for row, size, other in zip(words[:, :, 2].tolist(), sizes.tolist(), unsure.tolist(), strict=True)
    ]
