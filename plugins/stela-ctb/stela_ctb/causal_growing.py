"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from stela_causal.convolution import Reals, compiled
from stela_causal.growing import PLACES, Growing, Tags
from stela_causal.growing_layers import GrowingLayers

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
    places: Ids,
    firsts: Ids,
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
    for number in range(len(points)):
        place, char = places[number], ids[points[number]]
        kept[place] = folded[points[number]]
        space[place] = char == SPACE
        before = kept[place - 1] if place > firsts[number] else NOTHING
        key = before << BITS | kept[place]
        at = np.searchsorted(keys, key)
        given[place, :width] = chars[char]
        given[place, width:] = pairs[at + KNOWN_PAIRS if keys[at] == key else UNKNOWN_PAIR]


class _GrowingArrays:
    """One network, and the characters of texts as it knows them."""

    def __init__(self, arrays: CausalArrays) -> None:
        self.layers = GrowingLayers(arrays.layers, arrays.dilations, arrays.labels, arrays.reach, PLACES)
        self.space = np.zeros(PLACES, np.bool_)
        self._kept = np.zeros(PLACES, np.int64)
        self._known = *arrays.characters.lookups, *arrays.tables

    def read(self, points: Ids, places: Ids, firsts: Ids) -> None:
        self.layers.forget(places)
        _put_vectors(points, places, firsts, *self._known, self._kept, self.space, self.layers.given)


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

    def _read(self, points: Ids, places: Ids, firsts: Ids) -> None:
        self._tokenizer.read(points, places, firsts)
        self._tagger.read(points, places, firsts)

    def _judge(self, firsts: Ids, starts: Ids, ends: Ids, scored: Ids, count: int) -> list[Tags | None]:
        cut, tagged = self._tokenizer.layers, self._tagger.layers
        new = cut.compute(scored, ends, firsts)
        both = cut.scores[new].reshape(len(new), DELAY + 1, 2)
        self._begins[new] = both[:, :, 1] > both[:, :, 0]
        tagged.compute(scored, ends, firsts)
        inner = starts > firsts
        cut_from = np.maximum(scored, np.where(inner, starts + cut.reach, 0))
        tagged_from = np.maximum(scored, np.where(inner, starts + tagged.reach, 0))
        count = min(count, int((ends - starts).max()))
        words = np.zeros((len(starts), count, 3), dtype=np.int64)
        space = self._tokenizer.space
        sizes, unsure = last_words(
            self._begins, tagged.scores, space, starts, ends, cut_from, tagged_from, count, words
        )
        return names_of(self._names, words, sizes, unsure)


def names_of(names: Sequence[str], words: Ids, sizes: Ids, unsure: Ids) -> list[Tags | None]:
    """Tags of words (m, count, 3), of which the last one comes first; ``None`` where unsure."""
    return [
        None if other else tuple([names[tag] for tag in row[:size][::-1]])
        for row, size, other in zip(words[:, :, 2].tolist(), sizes.tolist(), unsure.tolist(), strict=True)
    ]
