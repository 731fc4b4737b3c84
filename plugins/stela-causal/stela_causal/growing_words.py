"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

import numpy as np

from stela_causal.alphabet import SPACE
from stela_causal.code_points import Ids
from stela_causal.convolution import Flags, Reals, compiled
from stela_causal.endings import endings_at
from stela_causal.growing import PLACES, Growing, Tags, tags_of
from stela_causal.growing_layers import END, FIRST, SCORED, START, GrowingLayers, Marks
from stela_causal.last_words import last_words
from stela_causal.word_files import WordModel
from stela_causal.word_network import WordNetwork


@compiled
def _put_vectors(
    points: Ids,
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


class GrowingWords(Growing):
    """The end of :class:`.CausalWords`: the same tags for windows that go on from others.

    Args:
        model: as read.
        network: of the model.
    """

    def __init__(self, model: WordModel, network: WordNetwork) -> None:
        super().__init__(network.reach)
        self._labels, self._delay = model.labels, model.delay
        self._layers = GrowingLayers(network.layers, model.dilations, network.last, network.reach, PLACES)
        self._kept = np.zeros(PLACES, np.int64)
        self._space = np.zeros(PLACES, np.bool_)
        alphabet = model.alphabet
        self._known = *alphabet.lookups, network.chars, network.endings, np.array(alphabet.lengths), alphabet.bits

    def _read(self, points: Ids, strips: Ids) -> None:
        layers = self._layers
        _put_vectors(points, strips, layers.done, *self._known, self._kept, self._space, layers.given)

    def _judge(self, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        layers = self._layers
        layers.compute(bounds)
        words = _last_words(layers.scores, self._delay, self._space, bounds, self._reach, units)
        return tags_of(self._labels, words[0][:, :, 2], words[1], words[2], count)
