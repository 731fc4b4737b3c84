"""Words at the ends of windows that grow; importing this needs numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from stela_causal.code_points import OUTSIDE
from stela_causal.convolution import Reals, compiled
from stela_causal.growing import PLACES, Growing, Points, Tags
from stela_causal.growing_layers import END, FIRST, SCORED, START, GrowingLayers, Marks, compute

from stela_ctb.causal_kernels import last_words
from stela_ctb.causal_network import DELAY
from stela_ctb.characters import BITS, FOLDED, SPACE, SPECIAL_PAIRS, UNKNOWN_PAIR, Ids
from stela_ctb.kernels import Flags

if TYPE_CHECKING:
    from stela_ctb.causal_fast import CausalArrays

NOTHING = int(FOLDED[OUTSIDE])
"""What stands before a text in pairs."""
KNOWN_PAIRS = len(SPECIAL_PAIRS)


@compiled
def _put_vectors(
    points: Points,
    strips: Ids,
    done: Marks,
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
    number = 0
    for row in range(len(strips)):
        for place in range(strips[row, 1], strips[row, 2]):
            point = points[number]
            number += 1
            char = ids[point]
            kept[place], space[place], done[:, place] = folded[point], char == SPACE, 0
            before = kept[place - 1] if place > strips[row, 0] else NOTHING
            key = before << BITS | kept[place]
            at = np.searchsorted(keys, key)
            given[place, :width] = chars[char]
            given[place, width:] = pairs[at + KNOWN_PAIRS if keys[at] == key else UNKNOWN_PAIR]


@compiled
def _last_words(
    new: Ids,
    cuts: Reals,
    begins: Flags,
    tags: Reals,
    space: Flags,
    bounds: Ids,
    cut_reach: int,
    tag_reach: int,
    count: int,
) -> tuple[Ids, Ids, Ids]:
    """Words (m, count, 3) of :func:`last_words`, and what it returns; ``begins`` of ``new`` ones is kept."""
    for number in range(len(new)):
        place = new[number]
        for delay in range(DELAY + 1):
            begins[place, delay] = cuts[place, 2 * delay + 1] > cuts[place, 2 * delay]
    starts, ends = bounds[:, START].copy(), bounds[:, END].copy()
    cut_from, tagged_from = bounds[:, SCORED].copy(), bounds[:, SCORED].copy()
    for row in range(len(bounds)):
        if starts[row] > bounds[row, FIRST]:
            cut_from[row] = max(cut_from[row], starts[row] + cut_reach)
            tagged_from[row] = max(tagged_from[row], starts[row] + tag_reach)
    words = np.zeros((len(bounds), count, 3), np.int64)
    sizes, unsure = last_words(begins, tags, space, starts, ends, cut_from, tagged_from, count, words)
    return words, sizes, unsure


@compiled
def _step(
    points: Points,
    strips: Ids,
    bounds: Ids,
    count: int,
    cut_reach: int,
    tag_reach: int,
    begins: Flags,
    cut_ids: Ids,
    cut_folded: Ids,
    cut_keys: Ids,
    cut_chars: Reals,
    cut_pairs: Reals,
    cut_kept: Ids,
    cut_space: Flags,
    cut_dilations: Ids,
    cut_done: Marks,
    cut_given: Reals,
    cut_hidden: Reals,
    cut_scores: Reals,
    cut_first_weight: Reals,
    cut_first_bias: Reals,
    cut_weights: Reals,
    cut_biases: Reals,
    cut_score_weight: Reals,
    cut_score_bias: Reals,
    tag_ids: Ids,
    tag_folded: Ids,
    tag_keys: Ids,
    tag_chars: Reals,
    tag_pairs: Reals,
    tag_kept: Ids,
    tag_space: Flags,
    tag_dilations: Ids,
    tag_done: Marks,
    tag_given: Reals,
    tag_hidden: Reals,
    tag_scores: Reals,
    tag_first_weight: Reals,
    tag_first_bias: Reals,
    tag_weights: Reals,
    tag_biases: Reals,
    tag_score_weight: Reals,
    tag_score_bias: Reals,
) -> tuple[Ids, Ids, Ids]:
    """All of a step of both networks: one call, since each costs as much as a place."""
    _put_vectors(
        points,
        strips,
        cut_done,
        cut_ids,
        cut_folded,
        cut_keys,
        cut_chars,
        cut_pairs,
        cut_kept,
        cut_space,
        cut_given,
    )
    _put_vectors(
        points,
        strips,
        tag_done,
        tag_ids,
        tag_folded,
        tag_keys,
        tag_chars,
        tag_pairs,
        tag_kept,
        tag_space,
        tag_given,
    )
    new = compute(
        bounds,
        cut_dilations,
        cut_done,
        cut_given,
        cut_hidden,
        cut_scores,
        cut_first_weight,
        cut_first_bias,
        cut_weights,
        cut_biases,
        cut_score_weight,
        cut_score_bias,
    )
    compute(
        bounds,
        tag_dilations,
        tag_done,
        tag_given,
        tag_hidden,
        tag_scores,
        tag_first_weight,
        tag_first_bias,
        tag_weights,
        tag_biases,
        tag_score_weight,
        tag_score_bias,
    )
    return _last_words(new, cut_scores, begins, tag_scores, cut_space, bounds, cut_reach, tag_reach, count)


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
        self._arrays = tokenizer.reach, tagger.reach, begins, *_arrays_of(tokenizer), *_arrays_of(tagger)

    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        return names_of(self._names, *_step(points, strips, bounds, units, *self._arrays))


def _arrays_of(network: CausalArrays) -> tuple[Any, ...]:
    """What a step takes of one network, and keeps for it."""
    layers = GrowingLayers(network.layers, network.dilations, network.labels, PLACES)
    kept, space = np.zeros(PLACES, np.int64), np.zeros(PLACES, np.bool_)
    return *network.characters.lookups, *network.tables, kept, space, *layers.arrays


def names_of(names: Sequence[str], words: Ids, sizes: Ids, unsure: Ids) -> list[Tags | None]:
    """Tags of words (m, count, 3), of which the last one comes first; ``None`` where unsure."""
    return [
        None if other else tuple([names[tag] for tag in row[:size][::-1]])
        for row, size, other in zip(words[:, :, 2].tolist(), sizes.tolist(), unsure.tolist(), strict=True)
    ]
