"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from stela_causal.code_points import OUTSIDE
from stela_causal.convolution import compiled, copy
from stela_causal.growing import PLACES, Growing, Points, Tags
from stela_causal.growing_layers import END, START, Layers, compute, layers_of, sure_from
from stela_causal.layers import Reals

from stela_ctb.causal_kernels import last_words
from stela_ctb.causal_network import DELAY
from stela_ctb.characters import BITS, FOLDED, SPACE, SPECIAL_PAIRS, UNKNOWN_PAIR, Ids
from stela_ctb.kernels import Flags

if TYPE_CHECKING:
    from stela_ctb.causal_fast import CausalArrays

NOTHING = int(FOLDED[OUTSIDE])
"""What stands before a text in pairs."""
KNOWN_PAIRS = len(SPECIAL_PAIRS)


class _Characters(NamedTuple):
    """Vectors of characters and pairs, and what is kept of the characters of all places."""

    ids: Ids
    folded: Ids
    keys: Ids
    """Keys of pairs, ascending."""
    chars: Reals
    pairs: Reals
    kept: Ids
    """(places,) characters as in pairs."""
    space: Flags
    """(places,)"""


@compiled
def _put_vectors(points: Points, strips: Ids, of: _Characters, known: Layers) -> None:
    """What :meth:`.CausalArrays.given` has for a text, for some places of many."""
    width = of.chars.shape[1]
    number = 0
    for row in range(len(strips)):
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = of.ids[point]
            of.kept[place], of.space[place], known.done[:, place] = of.folded[point], char == SPACE, 0
            before = of.kept[place - 1] if place > strips[row, 0] else NOTHING
            key = before << BITS | of.kept[place]
            at = np.searchsorted(of.keys, key)
            copy(of.chars[char], known.given[place, :width])
            pair = at + KNOWN_PAIRS if of.keys[at] == key else UNKNOWN_PAIR
            copy(of.pairs[pair], known.given[place, width:])


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    cut_reach: int,
    tag_reach: int,
    begins: Flags,
    cut_characters: _Characters,
    cuts: Layers,
    tag_characters: _Characters,
    tags: Layers,
) -> tuple[Ids, Ids, Ids]:
    """All of a step of both networks in one call, since each costs as much as a place: words (m, count, 3) of
    :func:`last_words`, and what it returns. ``begins`` (places, DELAY + 1) is kept.
    """
    _put_vectors(points, strips, cut_characters, cuts)
    _put_vectors(points, strips, tag_characters, tags)
    new = compute(bounds, cuts)
    compute(bounds, tags)
    for number in range(len(new)):
        place = new[number]
        for delay in range(DELAY + 1):
            begins[place, delay] = cuts.scores[place, 2 * delay + 1] > cuts.scores[place, 2 * delay]
    starts, ends, space = bounds[:, START].copy(), bounds[:, END].copy(), cut_characters.space
    cut_from, tagged_from = sure_from(bounds, cut_reach), sure_from(bounds, tag_reach)
    words = np.zeros((len(bounds), count, 3), np.int64)
    sizes, unsure = last_words(begins, tags.scores, space, starts, ends, cut_from, tagged_from, count, words)
    return words, sizes, unsure


class GrowingPair(Growing):
    """The end of :class:`.CausalPair`: the same tags for windows that go on from others.

    Args:
        tokenizer: its network.
        tagger: its network.
        names: of tags.
    """

    def __init__(self, tokenizer: CausalArrays, tagger: CausalArrays, names: Sequence[str]) -> None:
        super().__init__(max(tokenizer.reach, tagger.reach))
        self._names = names
        begins = np.zeros((PLACES, DELAY + 1), np.bool_)
        self._known = tokenizer.reach, tagger.reach, begins, *_known_of(tokenizer), *_known_of(tagger)

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        return names_of(self._names, *_step(points, strips, bounds, units, *self._known))


def _known_of(network: CausalArrays) -> tuple[_Characters, Layers]:
    """What a step takes of one network, and keeps for it."""
    kept, space = np.zeros(PLACES, np.int64), np.zeros(PLACES, np.bool_)
    characters = _Characters(*network.characters.lookups, *network.tables, kept, space)
    return characters, layers_of(network.layers, network.dilations, network.labels, PLACES)


def names_of(names: Sequence[str], words: Ids, sizes: Ids, unsure: Ids) -> list[Tags | None]:
    """Tags of words (m, count, 3), of which the last one comes first; ``None`` where unsure."""
    return [
        None if other else tuple([names[tag] for tag in row[:size][::-1]])
        for row, size, other in zip(words[:, :, 2].tolist(), sizes.tolist(), unsure.tolist(), strict=True)
    ]
