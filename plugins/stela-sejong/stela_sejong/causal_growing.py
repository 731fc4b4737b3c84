"""Morphemes at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from stela_causal.code_points import OUTSIDE
from stela_causal.convolution import affine, compiled, copy
from stela_causal.growing import PLACES, Growing, Points, Tags, tags_of
from stela_causal.growing_layers import END, START, Layers, compute, layers_of, sure_from
from stela_causal.layers import Reals

from stela_sejong.causal_characters import BITS, FOLDED, MULTIPLIER, SPACE, Flags, Ids
from stela_sejong.causal_files import Saved
from stela_sejong.causal_kernels import best_two, last_labels
from stela_sejong.causal_network import CausalNetwork

SHIFT = np.uint64(BITS)
NOTHING = np.uint64(FOLDED[OUTSIDE])
"""What stands before a text in pairs and triples."""


class _Characters(NamedTuple):
    """Vectors of characters, pairs and triples, and what is kept of the characters of all places."""

    ids: Ids
    folded: Ids
    chars: Reals
    pairs: Reals
    triples: Reals
    bits: int
    kept: Ids
    """(places,) characters as in pairs."""
    space: Flags
    """(places,)"""


class _Labels(NamedTuple):
    """What judges a place, and what was said of all places."""

    kinds: int
    late: Ids
    """(places, 2) best labels, where scored."""
    early_weight: Reals
    """Weights of the last place of a window."""
    early_bias: Reals


@compiled
def _put_vectors(points: Points, strips: Ids, of: _Characters, known: Layers) -> None:
    """What :meth:`.CausalNetwork.given` has for a text, for some places of many."""
    to_bucket = np.uint64(64 - of.bits)
    first_pair, first_triple = of.chars.shape[1], of.chars.shape[1] + of.pairs.shape[1]
    kept, given = of.kept, known.given
    number = 0
    for row in range(len(strips)):
        first = strips[row, 0]
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = of.ids[point]
            kept[place], of.space[place], known.done[:, place] = of.folded[point], char == SPACE, 0
            before = np.uint64(kept[place - 1]) if place > first else NOTHING
            earlier = np.uint64(kept[place - 2]) if place > first + 1 else NOTHING
            pair = before << SHIFT | np.uint64(kept[place])
            triple = earlier << SHIFT + SHIFT | pair
            copy(of.chars[char], given[place, :first_pair])
            copy(of.pairs[np.int64(pair * MULTIPLIER >> to_bucket)], given[place, first_pair:first_triple])
            copy(of.triples[np.int64(triple * MULTIPLIER >> to_bucket)], given[place, first_triple:])


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    reach: int,
    of: _Characters,
    labels: _Labels,
    known: Layers,
) -> tuple[Ids, Ids, Ids]:
    """All of a step in one call, since each costs as much as a place: labels (m, count, 2) of
    :func:`last_labels`, and what it returns.
    """
    _put_vectors(points, strips, of, known)
    new = compute(bounds, known)
    judged = np.empty((len(new), labels.kinds), known.scores.dtype)
    for number in range(len(new)):
        copy(known.scores[new[number]], judged[number])
    best = best_two(judged, labels.kinds)
    for number in range(len(new)):
        copy(best[number, 0], labels.late[new[number]])
    starts, ends, hidden = bounds[:, START].copy(), bounds[:, END].copy(), known.hidden
    top = np.empty((len(bounds), hidden.shape[2]), hidden.dtype)
    for row in range(len(bounds)):
        copy(hidden[len(hidden) - 1, ends[row] - 1], top[row])
    early = best_two(affine(top, labels.early_weight, labels.early_bias), labels.kinds)
    out = np.zeros((len(bounds), count, 2), np.int64)
    rows, sure = np.arange(len(bounds)), sure_from(bounds, reach)
    sizes, unsure = last_labels(labels.late, early, rows, of.space, starts, ends, sure, out)
    return out, sizes, unsure


class GrowingMorphemes(Growing):
    """The end of :class:`.CausalMorphemes`: the same tags for windows that go on from others.

    Args:
        saved: the model as read.
        network: of it.
    """

    def __init__(self, saved: Saved, network: CausalNetwork) -> None:
        super().__init__(network.reach)
        self._labels = saved.labels
        of = _Characters(
            *saved.characters.lookups,
            network.chars,
            network.pairs,
            network.triples,
            saved.characters.bits,
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES, np.bool_),
        )
        labels = _Labels(len(saved.labels), np.zeros((PLACES, 2), np.int64), *network.early)
        layers = layers_of(network.layers, saved.dilations, network.late, PLACES)
        self._known = network.reach, of, labels, layers

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        labels, sizes, unsure = _step(points, strips, bounds, units, *self._known)
        return tags_of(self._labels, labels[:, :, 1], sizes, unsure, count)
