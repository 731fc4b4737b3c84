"""The causal network without torch: labels of characters, each place computed once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from stela_causal.convolution import add_positive, affine, residual
from stela_causal.layers import TAPS, Layer, layer_of

from stela_sejong.causal_characters import Encoded, Flags, Ids, parts_of_syllables
from stela_sejong.causal_files import Arrays, Saved
from stela_sejong.causal_kernels import Floats32, best_two

BLOCK = 512
"""Places whose vectors are computed together, so that they fit into the processor's cache."""
BEFORE = 2
"""Characters before one that its triple holds."""
LATE = 6
"""Places at the end of a text whose labels are looked at first: few texts need more for a context."""


class CausalNetwork:
    """The network as arrays of 32 bits, and labels instead of scores."""

    def __init__(self, saved: Saved) -> None:
        arrays = saved.arrays
        self.chars = vectors_of_characters(saved)
        self.pairs, self.triples = arrays["pairs.weight"], arrays["triples.weight"]
        names = ["first", *(f"blocks.{number}" for number in range(len(saved.dilations) - 1))]
        self.layers = [_layer(arrays, [name]) for name in names]
        self.early = _layer(arrays, [f"labels.{delay}" for delay in range(saved.delay)])
        self.late = _layer(arrays, [f"labels.{saved.delay}"])
        self._dilations = saved.dilations
        self._kinds = len(saved.labels)
        self.gap = (TAPS - 1) * max(saved.dilations)
        """Places of nothing that keep two texts apart."""
        self.reach = (TAPS - 1) * sum(saved.dilations) + BEFORE
        """How many places before one decide its scores: those that convolutions see, and a triple's first."""
        self.tail = self.reach + LATE
        """Places at the end of a text that decide the labels of the last ``LATE``."""

    def labels(self, encoded: Encoded, ends: Ids) -> tuple[Ids, Ids]:
        """Labels (n, 2) of the character ``delay`` before each place, and (m, delay, 2) of those before ends.

        ``ends``: (m,) last places of windows, in order. Both have the best label and the best but the empty.
        """
        places = len(encoded.chars)
        late = np.zeros((places, 2), dtype=np.int64)
        early = [np.zeros((0, len(self.early[1]) // self._kinds, 2), dtype=np.int64)]
        for start in range(0, places, BLOCK):
            first, end = max(0, start - self.reach), min(start + BLOCK, places)
            hidden = self.hidden(encoded, first, end)
            late[start:end] = best_two(affine(hidden[start - first :], *self.late), self._kinds)[:, 0]
            at = ends[np.searchsorted(ends, start) : np.searchsorted(ends, end)]
            early.append(best_two(affine(hidden[at - first], *self.early), self._kinds))
        return late, np.concatenate(early)

    def hidden(self, encoded: Encoded, first: int, end: int) -> Floats32:
        """(end - first, width) vectors of places; the first ``reach`` mean nothing if ``first`` > 0."""
        given, inside = self._given(encoded, first, end)
        return residual(given, inside, self.layers, self._dilations)

    def labels_of_tails(self, encoded: Encoded, rows: int) -> tuple[Ids, Ids]:
        """The same of ``rows`` texts of ``tail`` places each: (rows, tail, 2), of which the last ``LATE`` are
        there, and (rows, delay, 2). Each layer is computed where the next one sees it.
        """
        given, inside = self._given(encoded, 0, len(encoded.chars))
        given = given.reshape(rows, self.tail, -1)[:, BEFORE:]
        inside = inside.reshape(rows, self.tail)[:, BEFORE:]
        hidden = np.zeros((*given.shape[:2], len(self.layers[0][1])), dtype=np.float32)
        for (weight, bias), dilation in zip(self.layers, self._dilations, strict=True):
            lost = (TAPS - 1) * dilation
            size = given.shape[1] - lost
            seen = np.concatenate([given[:, tap * dilation :][:, :size] for tap in range(TAPS)], axis=2)
            inside = inside[:, lost:]
            hidden = np.ascontiguousarray(hidden[:, lost:])
            more = affine(seen.reshape(rows * size, -1), weight, bias)
            add_positive(hidden.reshape(rows * size, -1), more, inside.ravel())
            given = hidden
        late = np.zeros((rows, self.tail, 2), dtype=np.int64)
        scores = affine(hidden.reshape(rows * LATE, -1), *self.late)
        late[:, -LATE:] = best_two(scores, self._kinds).reshape(rows, LATE, 2)
        early = affine(np.ascontiguousarray(hidden[:, -1]), *self.early)
        return late, best_two(early, self._kinds)

    def _given(self, encoded: Encoded, first: int, end: int) -> tuple[Floats32, Flags]:
        here = slice(first, end)
        inside = encoded.inside[here]
        given = np.concatenate(
            [
                self.chars[encoded.chars[here]],
                self.pairs[encoded.pairs[here]],
                self.triples[encoded.triples[here]],
            ],
            axis=1,
        )
        given[~inside] = 0.0
        return given, inside


def vectors_of_characters(saved: Saved) -> Floats32:
    """(ids, d): a syllable's is the sum of its id's, known or not, and those of its three parts."""
    own = saved.arrays["chars.weight"]
    parts = parts_of_syllables()
    jamo = [saved.arrays[f"jamo.{number}.weight"][parts[:, number]] for number in range(3)]
    syllables = own[saved.characters.own] + (jamo[0] + jamo[1] + jamo[2])
    return np.concatenate([own, syllables])


def _layer(arrays: Arrays, names: Sequence[str]) -> Layer:
    """Layers next to each other as one."""
    weights, biases = ([arrays[f"{name}.{part}"] for name in names] for part in ("weight", "bias"))
    return layer_of(np.concatenate(weights), np.concatenate(biases))
