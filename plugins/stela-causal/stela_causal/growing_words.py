"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from stela_causal.alphabet import SPACE
from stela_causal.code_points import Ids
from stela_causal.convolution import Flags, Reals, compiled
from stela_causal.endings import endings_at
from stela_causal.growing import PLACES, Growing, Points, Tags, tags_of
from stela_causal.growing_layers import END, FIRST, SCORED, START, GrowingLayers, Marks, compute
from stela_causal.last_words import last_words
from stela_causal.word_files import WordModel
from stela_causal.word_network import WordNetwork


@compiled
def _put_vectors(
    points: Points,
    strips: Ids,
    done: Marks,
    ids: Ids,
    folded: Ids,
    chars: Reals,
    endings: Reals,
    lengths: Ids,
    bits: int,
    kept: Ids,
    space: Flags,
    given: Reals,
) -> None:
    """What :meth:`.WordNetwork.given` has for a text, for some places of many; ``endings`` is
    (lengths, buckets, d).
    """
    buckets = np.empty(len(lengths), np.int64)
    width, more = chars.shape[1], endings.shape[2]
    number = 0
    for row in range(len(strips)):
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = ids[point]
            kept[place], space[place], done[:, place] = folded[point], char <= SPACE, 0
            given[place, :width] = chars[char]
            endings_at(kept, space, place, strips[row, 0], lengths, bits, buckets)
            for which in range(len(lengths)):
                start = width + which * more
                given[place, start : start + more] = endings[which, buckets[which]]


@compiled
def _last_words(
    scores: Reals, delay: int, space: Flags, bounds: Ids, reach: int, count: int
) -> tuple[Ids, Ids, Ids]:
    """Words (m, count, 3) of :func:`last_words`, and what it returns."""
    starts, ends = bounds[:, START].copy(), bounds[:, END].copy()
    sure_from = bounds[:, SCORED].copy()
    for row in range(len(bounds)):
        if starts[row] > bounds[row, FIRST]:
            sure_from[row] = max(sure_from[row], starts[row] + reach)
    words = np.zeros((len(bounds), count, 3), np.int64)
    sizes, unsure = last_words(scores, delay, space, starts, ends, sure_from, words, True)
    return words, sizes, unsure


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    delay: int,
    reach: int,
    ids: Ids,
    folded: Ids,
    chars: Reals,
    endings: Reals,
    lengths: Ids,
    bits: int,
    kept: Ids,
    space: Flags,
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
    _put_vectors(points, strips, done, ids, folded, chars, endings, lengths, bits, kept, space, given)
    compute(
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
    return _last_words(scores, delay, space, bounds, reach, count)


class GrowingWords(Growing):
    """The end of :class:`.CausalWords`: the same tags for windows that go on from others.

    Args:
        model: as read.
        network: of the model.
    """

    def __init__(self, model: WordModel, network: WordNetwork) -> None:
        super().__init__(network.reach)
        self._labels = model.labels
        layers = GrowingLayers(network.layers, model.dilations, network.last, PLACES)
        alphabet = model.alphabet
        self._arrays: tuple[Any, ...] = (
            model.delay,
            network.reach,
            *alphabet.lookups,
            network.chars,
            network.endings,
            np.array(alphabet.lengths),
            alphabet.bits,
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES, np.bool_),
            *layers.arrays,
        )

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        words, sizes, unsure = _step(points, strips, bounds, units, *self._arrays)
        return tags_of(self._labels, words[:, :, 2], sizes, unsure, count)
