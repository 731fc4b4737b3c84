"""Layers of texts that grow, compiled: a place is computed where it is asked for, and once; needs numba.

The slow definition is :func:`.convolution.residual` over all of a text. Places of all texts lie in one array,
a strip for each text; sums are those of :func:`.convolution.affine`, so a place has the same bits in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_kernels.compiled_copy import copy

from stela_causal.code_points import Ids
from stela_causal.convolution import affine, compiled
from stela_causal.layers import TAPS, Layer, Reals

FIRST, START, END, SCORED = range(4)
"""Columns of the bounds of rows: the first place of its text, that of its window, the place after its last,
and that from which on scores are wanted."""

Marks = npt.NDArray[np.uint8]


class Layers(NamedTuple):
    """What is computed of texts that grow, by one network. Compiled functions take it as it is."""

    dilations: Ids
    """The dilation of each convolution, (layers,)."""
    done: Marks
    """Whether a place is computed, (layers + 1, places); the caller sets it back where a character is new."""
    given: Reals
    """Vectors of characters, (places, d); for the caller to fill in."""
    hidden: Reals
    """Sums up to each layer, where computed, (layers, places, w)."""
    scores: Reals
    """Scores of the places that are computed, (places, scores)."""
    first_weight: Reals
    first_bias: Reals
    weights: Reals
    """Weights of all convolutions but the first, (layers - 1, 3 w, w)."""
    biases: Reals
    score_weight: Reals
    score_bias: Reals


def layers_of(layers: Sequence[Layer], dilations: Sequence[int], scores: Layer, places: int) -> Layers:
    """The layers before anything is computed.

    Args:
        layers: of convolutions, as :func:`.convolution.layer_of` makes them; all but the first alike.
        dilations: of each.
        scores: the layer behind them.
        places: of all texts together.
    """
    (weight, bias), rest = layers[0], layers[1:]
    width = len(bias)
    return Layers(
        np.array(dilations, dtype=np.int64),
        np.zeros((len(layers) + 1, places), np.uint8),
        np.empty((places, len(weight) // TAPS), weight.dtype),
        np.empty((len(layers), places, width), weight.dtype),
        np.empty((places, len(scores[1])), weight.dtype),
        weight,
        bias,
        np.stack([w for w, _ in rest]) if rest else np.zeros((0, TAPS * width, width), weight.dtype),
        np.stack([b for _, b in rest]) if rest else np.zeros((0, width), weight.dtype),
        *scores,
    )


@compiled
def _wanted(bounds: Ids, dilations: Ids, done: Marks, lists: Ids, strips: Ids) -> Ids:
    """Fill ``lists`` (layers + 1, n) with the places of each layer that are not computed yet and that those
    to be scored depend on, ``strips`` with where their texts begin; (layers + 1,) how many.
    """
    layers = len(dilations)
    counts = np.zeros(layers + 1, np.int64)
    for row in range(len(bounds)):
        for place in range(bounds[row, SCORED], bounds[row, END]):
            if not done[layers, place]:
                done[layers, place] = 1
                lists[layers, counts[layers]], strips[layers, counts[layers]] = place, bounds[row, FIRST]
                counts[layers] += 1
    for below in range(layers - 1, -1, -1):
        step, taps = (0, 1) if below + 1 == layers else (dilations[below + 1], TAPS)
        for number in range(counts[below + 1]):
            first = strips[below + 1, number]
            for tap in range(taps):
                place = lists[below + 1, number] - tap * step
                if place >= first and not done[below, place]:
                    done[below, place] = 1
                    lists[below, counts[below]], strips[below, counts[below]] = place, first
                    counts[below] += 1
    return counts


@compiled
def _seen(given: Reals, places: Ids, firsts: Ids, dilation: int) -> Reals:
    """(m, 3 d) what stands two and one ``dilation`` before places, and there; 0 before a text."""
    size = given.shape[1]
    seen = np.zeros((len(places), TAPS * size), given.dtype)
    for number in range(len(places)):
        for tap in range(TAPS):
            there = places[number] - (TAPS - 1 - tap) * dilation
            if there >= firsts[number]:
                copy(given[there], seen[number, tap * size : (tap + 1) * size])
    return seen


@compiled
def compute(bounds: Ids, known: Layers) -> Ids:
    """Compute the scores of places, and what they depend on, as far as they are not yet.

    ``bounds`` are (rows, 4) as of :class:`.Growing`. Returned are places whose scores are new, in no order.
    """
    dilations, hidden, scores = known.dilations, known.hidden, known.scores
    most = 0
    for row in range(len(bounds)):
        most += bounds[row, END] - bounds[row, FIRST]
    layers = len(dilations)
    lists, strips = np.empty((layers + 1, most), np.int64), np.empty((layers + 1, most), np.int64)
    counts = _wanted(bounds, dilations, known.done, lists, strips)
    for layer in range(layers):
        places, begins = lists[layer, : counts[layer]], strips[layer, : counts[layer]]
        if layer == 0:
            more = affine(
                _seen(known.given, places, begins, dilations[0]), known.first_weight, known.first_bias
            )
        else:
            seen = _seen(hidden[layer - 1], places, begins, dilations[layer])
            more = affine(seen, known.weights[layer - 1], known.biases[layer - 1])
        for number in range(len(places)):
            place = places[number]
            for unit in range(hidden.shape[2]):
                before = hidden[layer - 1, place, unit] if layer else hidden.dtype.type(0)
                added = more[number, unit]
                hidden[layer, place, unit] = before + added if added > 0 else before
    places = lists[layers, : counts[layers]]
    top = np.empty((len(places), hidden.shape[2]), hidden.dtype)
    for number in range(len(places)):
        copy(hidden[layers - 1, places[number]], top[number])
    judged = affine(top, known.score_weight, known.score_bias)
    for number in range(len(places)):
        copy(judged[number], scores[places[number]])
    return places.copy()


@compiled
def sure_from(bounds: Ids, reach: int) -> Ids:
    """The place of each window, (rows,), from which on only what is scored and in the window counts."""
    sure = bounds[:, SCORED].copy()
    for row in range(len(bounds)):
        if bounds[row, START] > bounds[row, FIRST]:
            sure[row] = max(sure[row], bounds[row, START] + reach)
    return sure
