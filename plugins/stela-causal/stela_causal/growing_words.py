"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_kernels.compiled_copy import copy

from stela_causal.alphabet import SPACE
from stela_causal.code_points import Ids
from stela_causal.convolution import affine, compiled
from stela_causal.endings import endings_at, grams_at
from stela_causal.grams import Keys
from stela_causal.growing import PLACES, Growing, Points, Tags, tags_of
from stela_causal.growing_layers import END, START, Layers, compute, layers_of, sure_from
from stela_causal.last_words import last_words
from stela_causal.layers import Flags, Reals
from stela_causal.word_files import WordModel
from stela_causal.word_network import Network, WordNetwork


class _Characters(NamedTuple):
    """What a model knows of characters, and what is kept of those of all places."""

    ids: npt.NDArray[np.int32]
    folded: npt.NDArray[np.int32]
    lengths: Ids
    bits: int
    grams: bool
    pairs: Keys
    rows: Ids
    kept: Ids
    """The characters as they stand in endings, (places,)."""
    space: Flags
    """Whether a place is white space, (places,)."""


class _Grown(NamedTuple):
    """Vectors of characters and of endings, and what a network makes of them."""

    chars: Reals
    endings: Reals
    """Vectors of endings, (lengths, rows, d)."""
    layers: Layers
    early_weight: Reals
    """Weights of the scores at a window's last place, (w, delay * kinds)."""
    early_bias: Reals


@compiled
def _put_vectors(points: Points, strips: Ids, of: _Characters, networks: tuple[_Grown, ...]) -> None:
    """What :meth:`.Network.given` has for a text, for some places of many."""
    buckets = np.empty(len(of.lengths), np.int64)
    number = 0
    for row in range(len(strips)):
        first = strips[row, 0]
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = of.ids[point]
            of.kept[place], of.space[place] = of.folded[point], char <= SPACE
            if of.grams:
                grams_at(of.kept, place, first, of.lengths, of.bits, of.pairs, of.rows, buckets)
            else:
                endings_at(of.kept, of.space, place, first, of.lengths, of.bits, buckets)
            for one in networks:
                width, more, given = one.chars.shape[1], one.endings.shape[2], one.layers.given[place]
                one.layers.done[:, place] = 0
                copy(one.chars[char], given[:width])
                for which in range(len(of.lengths)):
                    start = width + which * more
                    copy(one.endings[which, buckets[which]], given[start : start + more])


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    reach: int,
    labels_at: int,
    of: _Characters,
    networks: tuple[_Grown, ...],
    late: Reals,
    delay: int,
) -> tuple[Ids, Ids, Ids]:
    """All of a step in one call, since each costs as much as a place: words (m, count, 3) of
    :func:`last_words`, and what it returns. ``late`` (places, kinds) is kept.
    """
    _put_vectors(points, strips, of, networks)
    rows, starts, ends = len(bounds), bounds[:, START].copy(), bounds[:, END].copy()
    early = np.empty((rows, delay, late.shape[1]), late.dtype)
    column = 0
    for one in networks:
        new = compute(bounds, one.layers)
        hidden, scores = one.layers.hidden, one.layers.scores
        kinds = scores.shape[1]
        for place in new:
            copy(scores[place], late[place, column : column + kinds])
        top = np.empty((rows, hidden.shape[2]), hidden.dtype)
        for row in range(rows):
            copy(hidden[len(hidden) - 1, ends[row] - 1], top[row])
        judged = affine(top, one.early_weight, one.early_bias)
        for row in range(rows):
            for before in range(delay):
                first = before * kinds
                copy(judged[row, first : first + kinds], early[row, before, column : column + kinds])
        column += kinds
    words = np.zeros((rows, count, 3), np.int64)
    sure = sure_from(bounds, reach)
    sizes, unsure = last_words(
        late, early, np.arange(rows), of.space, starts, ends, sure, words, labels_at, True
    )
    return words, sizes, unsure


class GrowingWords(Growing):
    """The end of :class:`.CausalWords`: the same tags for windows that go on from others.

    Args:
        model: as read.
        network: of the model.
    """

    def __init__(self, model: WordModel, network: WordNetwork) -> None:
        super().__init__(network.reach)
        self._labels = model.labels
        alphabet = model.alphabet
        characters = _Characters(
            *alphabet.lookups,
            np.array(alphabet.lengths),
            alphabet.bits,
            alphabet.grams,
            *alphabet.pairs,
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES, np.bool_),
        )
        late = np.zeros((PLACES, network.kinds), np.float32)
        grown = tuple(_grown(one) for one in network.networks)
        self._known = network.reach, model.labels_at, characters, grown, late, model.delay

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        words, sizes, unsure = _step(points, strips, bounds, units, *self._known)
        return tags_of(self._labels, words[:, :, 2], sizes, unsure, count)


def _grown(one: Network) -> _Grown:
    layers = layers_of(one.layers, one.dilations, one.late, PLACES)
    return _Grown(one.chars, one.endings, layers, *one.early)
