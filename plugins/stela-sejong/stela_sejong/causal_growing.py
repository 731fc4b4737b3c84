"""Morphemes at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

import numpy as np
from stela_causal.code_points import OUTSIDE
from stela_causal.convolution import Reals, affine, compiled
from stela_causal.growing import PLACES, Growing, Points, Tags, tags_of
from stela_causal.growing_layers import END, FIRST, SCORED, START, GrowingLayers, Marks, compute

from stela_sejong.causal_characters import BITS, FOLDED, MULTIPLIER, SPACE, Flags, Ids
from stela_sejong.causal_files import Saved
from stela_sejong.causal_kernels import best_two, last_labels
from stela_sejong.causal_network import CausalNetwork

SHIFT = np.uint64(BITS)
NOTHING = np.uint64(FOLDED[OUTSIDE])
"""What stands before a text in pairs and triples."""


@compiled
def _put_vectors(
    points: Points,
    strips: Ids,
    done: Marks,
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
    number = 0
    for row in range(len(strips)):
        first = strips[row, 0]
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = ids[point]
            kept[place], space[place], done[:, place] = folded[point], char == SPACE, 0
            before = np.uint64(kept[place - 1]) if place > first else NOTHING
            earlier = np.uint64(kept[place - 2]) if place > first + 1 else NOTHING
            pair = before << SHIFT | np.uint64(kept[place])
            triple = earlier << SHIFT + SHIFT | pair
            given[place, :first_pair] = chars[char]
            given[place, first_pair:first_triple] = pairs[np.int64(pair * MULTIPLIER >> to_bucket)]
            given[place, first_triple:] = triples[np.int64(triple * MULTIPLIER >> to_bucket)]


@compiled
def _last_labels(
    new: Ids,
    scores: Reals,
    late: Ids,
    hidden: Reals,
    weight: Reals,
    bias: Reals,
    kinds: int,
    space: Flags,
    bounds: Ids,
    reach: int,
    count: int,
) -> tuple[Ids, Ids, Ids]:
    """Labels (m, count, 2) of :func:`last_labels`, and what it returns; those of ``new`` places are kept."""
    judged = np.empty((len(new), kinds), scores.dtype)
    for number in range(len(new)):
        judged[number] = scores[new[number]]
    best = best_two(judged, kinds)
    for number in range(len(new)):
        late[new[number]] = best[number, 0]
    starts, ends = bounds[:, START].copy(), bounds[:, END].copy()
    sure_from = bounds[:, SCORED].copy()
    top = np.empty((len(bounds), hidden.shape[2]), hidden.dtype)
    for row in range(len(bounds)):
        top[row] = hidden[len(hidden) - 1, ends[row] - 1]
        if starts[row] > bounds[row, FIRST]:
            sure_from[row] = max(sure_from[row], starts[row] + reach)
    early = best_two(affine(top, weight, bias), kinds)
    out = np.zeros((len(bounds), count, 2), np.int64)
    rows = np.arange(len(bounds))
    sizes, unsure = last_labels(late, early, rows, space, starts, ends, sure_from, out)
    return out, sizes, unsure


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    kinds: int,
    reach: int,
    ids: Ids,
    folded: Ids,
    chars: Reals,
    pairs: Reals,
    triples: Reals,
    bits: int,
    kept: Ids,
    space: Flags,
    late: Ids,
    early_weight: Reals,
    early_bias: Reals,
    dilations: Ids,
    done: Marks,
    given: Reals,
    hidden: Reals,
    scores: Reals,
    first_weight: Reals,
    first_bias: Reals,
    weights: Reals,
    biases: Reals,
    score_weight: Reals,
    score_bias: Reals,
) -> tuple[Ids, Ids, Ids]:
    """All of a step: one call, since each costs as much as a place."""
    _put_vectors(points, strips, done, ids, folded, chars, pairs, triples, bits, kept, space, given)
    new = compute(
        bounds,
        dilations,
        done,
        given,
        hidden,
        scores,
        first_weight,
        first_bias,
        weights,
        biases,
        score_weight,
        score_bias,
    )
    return _last_labels(
        new, scores, late, hidden, early_weight, early_bias, kinds, space, bounds, reach, count
    )


class GrowingMorphemes(Growing):
    """The end of :class:`.CausalMorphemes`: the same tags for windows that go on from others.

    Args:
        saved: the model as read.
        network: of it.
    """

    def __init__(self, saved: Saved, network: CausalNetwork) -> None:
        super().__init__(network.reach)
        self._labels = saved.labels
        layers = GrowingLayers(network.layers, saved.dilations, network.late, PLACES)
        characters = saved.characters
        self._arrays = (
            len(saved.labels),
            network.reach,
            *characters.lookups,
            network.chars,
            network.pairs,
            network.triples,
            characters.bits,
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES, np.bool_),
            np.zeros((PLACES, 2), np.int64),
            *network.early,
            *layers.arrays,
        )

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        labels, sizes, unsure = _step(points, strips, bounds, units, *self._arrays)
        return tags_of(self._labels, labels[:, :, 1], sizes, unsure, count)
