"""Morphemes at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

import numpy as np
from stela_causal.convolution import Reals, affine, compiled
from stela_causal.growing import PLACES, Growing, Tags, tags_of
from stela_causal.growing_layers import GrowingLayers

from stela_sejong.causal_characters import BITS, FOLDED, MULTIPLIER, OUTSIDE, SPACE, Flags, Ids
from stela_sejong.causal_files import Saved
from stela_sejong.causal_kernels import best_two, last_labels
from stela_sejong.causal_network import CausalNetwork

SHIFT = np.uint64(BITS)
NOTHING = np.uint64(FOLDED[OUTSIDE])
"""What stands before a text in pairs and triples."""


@compiled
def _put_vectors(
    points: Ids,
    places: Ids,
    firsts: Ids,
    ids: Ids,
    folded: Ids,
    chars: Reals,
    pairs: Reals,
    triples: Reals,
    bits: int,
    kept: Ids,
    space: Flags,
    given: Reals,
) -> None:
    """What :meth:`.CausalNetwork.given` has for a text, for some places of many."""
    to_bucket = np.uint64(64 - bits)
    first_pair, first_triple = chars.shape[1], chars.shape[1] + pairs.shape[1]
    for number in range(len(points)):
        place, first, char = places[number], firsts[number], ids[points[number]]
        kept[place] = folded[points[number]]
        space[place] = char == SPACE
        before = np.uint64(kept[place - 1]) if place > first else NOTHING
        earlier = np.uint64(kept[place - 2]) if place > first + 1 else NOTHING
        pair = before << SHIFT | np.uint64(kept[place])
        triple = earlier << SHIFT + SHIFT | pair
        given[place, :first_pair] = chars[char]
        given[place, first_pair:first_triple] = pairs[np.int64(pair * MULTIPLIER >> to_bucket)]
        given[place, first_triple:] = triples[np.int64(triple * MULTIPLIER >> to_bucket)]


class GrowingMorphemes(Growing):
    """The end of :class:`.CausalMorphemes`: the same tags for windows that go on from others.

    Args:
        saved: the model as read.
        network: of it.
    """

    def __init__(self, saved: Saved, network: CausalNetwork) -> None:
        super().__init__(network.reach)
        self._labels, self._kinds, self._early = saved.labels, len(saved.labels), network.early
        self._layers = GrowingLayers(network.layers, saved.dilations, network.late, network.reach, PLACES)
        self._late = np.zeros((PLACES, 2), np.int64)
        self._kept = np.zeros(PLACES, np.int64)
        self._space = np.zeros(PLACES, np.bool_)
        characters = saved.characters
        self._known = *characters.lookups, network.chars, network.pairs, network.triples, characters.bits

    def _read(self, points: Ids, places: Ids, firsts: Ids) -> None:
        self._layers.forget(places)
        _put_vectors(points, places, firsts, *self._known, self._kept, self._space, self._layers.given)

    def _judge(self, firsts: Ids, starts: Ids, ends: Ids, scored: Ids, count: int) -> list[Tags | None]:
        layers = self._layers
        new = layers.compute(scored, ends, firsts)
        self._late[new] = best_two(layers.scores[new], self._kinds)[:, 0]
        early = best_two(affine(layers.hidden[-1, ends - 1], *self._early), self._kinds)
        sure_from = np.maximum(scored, np.where(starts > firsts, starts + self._reach, 0))
        rows = np.zeros((len(starts), min(count, int((ends - starts).max())), 2), dtype=np.int64)
        numbers = np.arange(len(starts))
        sizes, unsure = last_labels(self._late, early, numbers, self._space, starts, ends, sure_from, rows)
        return tags_of(self._labels, rows[:, :, 1], sizes, unsure, count)
