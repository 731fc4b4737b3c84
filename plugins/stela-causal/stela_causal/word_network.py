"""The network of words without torch: scores of each place of a text."""

from __future__ import annotations

import numpy as np

from stela_causal import plain
from stela_causal.alphabet import Encoded
from stela_causal.layers import TAPS, Flags, Layer, Reals, layer_of
from stela_causal.word_files import WordModel

BLOCK = 512
"""Places whose vectors are computed together, so that the processor's cache holds them."""


class WordNetwork:
    """A model's arrays in 32 bits: what torch's network of the same arrays computes, left to right."""

    def __init__(self, model: WordModel) -> None:
        arrays = model.arrays
        self.chars = arrays["chars.weight"]
        """(ids, d) vectors of characters."""
        numbers = range(len(model.alphabet.lengths))
        self.endings = np.stack([arrays[f"endings.{number}.weight"] for number in numbers])
        """(lengths, buckets, d) vectors of endings."""
        self.layers = [
            layer_of(arrays[f"layers.{number}.weight"], arrays[f"layers.{number}.bias"])
            for number in range(len(model.dilations))
        ]
        self.last = layer_of(arrays["scores.weight"], arrays["scores.bias"])
        self._dilations = model.dilations
        self._start = model.alphabet.start
        self.gap = (TAPS - 1) * max(model.dilations)
        """Places of nothing that keep two texts apart."""
        self.reach = (TAPS - 1) * sum(model.dilations) + model.alphabet.lengths[-1] - 1
        """How many places before one decide its scores: what convolutions see, and the longest ending."""

    def scores(self, encoded: Encoded) -> Reals:
        """Scores (n, (delay + 1) * (1 + labels)), as :func:`.walked` reads them."""
        places = len(encoded.chars)
        out = np.zeros((places, len(self.last[1])), np.float32)
        for start in range(0, places, BLOCK):
            first, end = max(0, start - self.reach), min(start + BLOCK, places)
            hidden = self._hidden(encoded, first, end)
            out[start:end] = self._affine(hidden[start - first :], *self.last)
        return out

    def _affine(self, seen: Reals, weight: Reals, bias: Reals) -> Reals:
        if not self._start.is_due(0):
            return plain.affine(seen, weight, bias)
        from stela_causal.convolution import affine

        return affine(seen, weight, bias)

    def _residual(self, given: Reals, inside: Flags, layers: list[Layer], dilations: list[int]) -> Reals:
        if not self._start.is_due(0):
            return plain.residual(given, inside, layers, dilations)
        from stela_causal.convolution import residual

        return residual(given, inside, layers, dilations)

    def _hidden(self, encoded: Encoded, first: int, end: int) -> Reals:
        here = slice(first, end)
        inside = encoded.inside[here]
        parts = [table[encoded.endings[here, number]] for number, table in enumerate(self.endings)]
        given = np.concatenate([self.chars[encoded.chars[here]], *parts], axis=1)
        given[~inside] = 0.0
        return self._residual(given, inside, self.layers, self._dilations)
