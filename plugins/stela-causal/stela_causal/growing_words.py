"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

import numpy as np

from stela_causal.alphabet import SPACE
from stela_causal.code_points import Ids
from stela_causal.convolution import Flags, Reals, compiled
from stela_causal.endings import endings_at
from stela_causal.growing import PLACES, Growing, Tags, tags_of
from stela_causal.growing_layers import GrowingLayers
from stela_causal.last_words import last_words
from stela_causal.word_files import WordModel
from stela_causal.word_network import WordNetwork


@compiled
def _put_vectors(
    points: Ids,
    places: Ids,
    firsts: Ids,
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
    for number in range(len(points)):
        place, char = places[number], ids[points[number]]
        kept[place] = folded[points[number]]
        space[place] = char <= SPACE
        given[place, :width] = chars[char]
        endings_at(kept, space, place, firsts[number], lengths, bits, buckets)
        for which in range(len(lengths)):
            start = width + which * more
            given[place, start : start + more] = endings[which, buckets[which]]


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

    def _read(self, points: Ids, places: Ids, firsts: Ids) -> None:
        self._layers.forget(places)
        _put_vectors(points, places, firsts, *self._known, self._kept, self._space, self._layers.given)

    def _judge(self, firsts: Ids, starts: Ids, ends: Ids, scored: Ids, count: int) -> list[Tags | None]:
        self._layers.compute(scored, ends, firsts)
        sure_from = np.maximum(scored, np.where(starts > firsts, starts + self._reach, 0))
        words = np.zeros((len(starts), min(count, int((ends - starts).max())), 3), dtype=np.int64)
        scores = self._layers.scores
        sizes, unsure = last_words(
            scores, self._delay, self._space, starts, ends, sure_from, words, labels_only=True
        )
        return tags_of(self._labels, words[:, :, 2], sizes, unsure, count)
