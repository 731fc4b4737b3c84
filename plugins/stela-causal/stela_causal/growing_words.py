"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_kernels.compiled_copy import copy

from stela_causal.alphabet import SPACE
from stela_causal.code_points import Ids
from stela_causal.convolution import compiled
from stela_causal.endings import endings_at
from stela_causal.growing import PLACES, Growing, Points, Tags, tags_of
from stela_causal.growing_layers import END, START, Layers, compute, layers_of, sure_from
from stela_causal.last_words import last_words
from stela_causal.layers import Flags, Reals
from stela_causal.word_files import WordModel
from stela_causal.word_network import WordNetwork


class _Characters(NamedTuple):
    """Vectors of characters and endings, and what is kept of the characters of all places."""

    ids: npt.NDArray[np.int32]
    folded: npt.NDArray[np.int32]
    chars: Reals
    endings: Reals
    """Vectors of endings, (lengths, buckets, d)."""
    lengths: Ids
    bits: int
    kept: Ids
    """The characters as they stand in endings, (places,)."""
    space: Flags
    """Whether a place is white space, (places,)."""


@compiled
def _put_vectors(points: Points, strips: Ids, of: _Characters, known: Layers) -> None:
    """What :meth:`.WordNetwork.given` has for a text, for some places of many."""
    buckets = np.empty(len(of.lengths), np.int64)
    width, more = of.chars.shape[1], of.endings.shape[2]
    number = 0
    for row in range(len(strips)):
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = of.ids[point]
            of.kept[place], of.space[place], known.done[:, place] = of.folded[point], char <= SPACE, 0
            copy(of.chars[char], known.given[place, :width])
            endings_at(of.kept, of.space, place, strips[row, 0], of.lengths, of.bits, buckets)
            for which in range(len(of.lengths)):
                start = width + which * more
                copy(of.endings[which, buckets[which]], known.given[place, start : start + more])


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    delay: int,
    reach: int,
    of: _Characters,
    known: Layers,
) -> tuple[Ids, Ids, Ids]:
    """All of a step in one call, since each costs as much as a place: words (m, count, 3) of
    :func:`last_words`, and what it returns.
    """
    _put_vectors(points, strips, of, known)
    compute(bounds, known)
    words = np.zeros((len(bounds), count, 3), np.int64)
    starts, ends = bounds[:, START].copy(), bounds[:, END].copy()
    sizes, unsure = last_words(
        known.scores, delay, of.space, starts, ends, sure_from(bounds, reach), words, True
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
            network.chars,
            network.endings,
            np.array(alphabet.lengths),
            alphabet.bits,
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES, np.bool_),
        )
        layers = layers_of(network.layers, model.dilations, network.last, PLACES)
        self._known = model.delay, network.reach, characters, layers

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        words, sizes, unsure = _step(points, strips, bounds, units, *self._known)
        return tags_of(self._labels, words[:, :, 2], sizes, unsure, count)
