"""The networks of words without torch: scores of each place of a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stela_causal import plain
from stela_causal.alphabet import JAMO, SYLLABLES, Alphabet, Encoded
from stela_causal.layers import TAPS, Flags, Layer, Reals, layer_of
from stela_causal.plain import Start
from stela_causal.word_files import Arrays, WordModel

BLOCK = 512
"""Places whose vectors are computed together, so that the processor's cache holds them."""


class Network:
    """A network's arrays in 32 bits: what torch's network of the same arrays computes, left to right.

    Args:
        alphabet: of the model.
        arrays: of the model, by name.
        prefix: of the names of this network's arrays.
        dilations: of its layers.
        delay: places that a decision may wait for.
    """

    def __init__(
        self, alphabet: Alphabet, arrays: Arrays, prefix: str, dilations: Sequence[int], delay: int
    ) -> None:
        self.chars = _chars(alphabet, arrays, prefix)
        """(ids, d) vectors of characters."""
        numbers = range(len(alphabet.lengths))
        self.endings = np.stack(
            [_all_rows(arrays[f"{prefix}endings.{number}.weight"], alphabet.rows) for number in numbers]
        )
        """(lengths, rows, d) vectors of endings."""
        names = [f"{prefix}layers.{number}" for number in range(len(dilations))]
        self.layers = [layer_of(arrays[f"{name}.weight"], arrays[f"{name}.bias"]) for name in names]
        weight, bias = arrays[f"{prefix}scores.weight"], arrays[f"{prefix}scores.bias"]
        self.kinds = len(bias) // (delay + 1)
        """Scores of a character."""
        first = delay * self.kinds
        self.early, self.late = layer_of(weight[:first], bias[:first]), layer_of(weight[first:], bias[first:])
        """What scores the characters 0 to ``delay - 1`` before a place, and that ``delay`` before it."""
        self.dilations = list(dilations)

    def given(self, encoded: Encoded, here: slice) -> Reals:
        """(n, d) what the first layer sees of places."""
        parts = [table[encoded.endings[here, number]] for number, table in enumerate(self.endings)]
        given = np.concatenate([self.chars[encoded.chars[here]], *parts], axis=1)
        given[~encoded.inside[here]] = 0.0
        return given


class WordNetwork:
    """The one network of a model, or both: what says where words begin, and what their labels are."""

    def __init__(self, model: WordModel) -> None:
        self.networks = [
            Network(model.alphabet, model.arrays, prefix, dilations, model.delay)
            for prefix, dilations in model.networks
        ]
        self.kinds = sum(one.kinds for one in self.networks)
        """Scores of a character."""
        self._delay = model.delay
        self._start: Start = model.alphabet.start
        dilations = [one.dilations for one in self.networks]
        self.gap = (TAPS - 1) * max(map(max, dilations))
        """Places of nothing that keep two texts apart."""
        self.reach = (TAPS - 1) * max(map(sum, dilations)) + model.alphabet.lengths[-1] - 1
        """How many places before one decide its scores: what convolutions see, and the longest ending."""

    def scores(self, encoded: Encoded, lasts: Sequence[int] | np.ndarray) -> tuple[Reals, Reals]:
        """Scores ``late`` (n, kinds) and ``early`` (m, delay, kinds), as :func:`.walked` reads them.

        Args:
            encoded: n places.
            lasts: (m,) places at which windows end, ascending.
        """
        places, lasts = len(encoded.chars), np.asarray(lasts, np.int64)
        late = np.zeros((places, self.kinds), np.float32)
        early = np.zeros((len(lasts), self._delay, self.kinds), np.float32)
        column = 0
        for one in self.networks:
            columns = slice(column, column := column + one.kinds)
            for start in range(0, places, BLOCK):
                first, end = max(0, start - self.reach), min(start + BLOCK, places)
                hidden = self.hidden(one, encoded, first, end)
                late[start:end, columns] = self._affine(hidden[start - first :], *one.late)
                some = slice(*np.searchsorted(lasts, [start, end]))
                scores = self._affine(hidden[lasts[some] - first], *one.early)
                early[some, :, columns] = scores.reshape(len(scores), self._delay, one.kinds)
        return late, early

    def hidden(self, one: Network, encoded: Encoded, first: int, end: int) -> Reals:
        """(end - first, w) vectors of places; the first ``reach`` mean nothing if ``first`` > 0."""
        here = slice(first, end)
        return self._residual(one.given(encoded, here), encoded.inside[here], one.layers, one.dilations)

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


def _all_rows(table: Reals, rows: int) -> Reals:
    """A table with the row of what is unknown for what only the other network knows."""
    return np.concatenate([table, np.repeat(table[:1], rows - len(table), 0)])


def _chars(alphabet: Alphabet, arrays: Arrays, prefix: str) -> Reals:
    """(ids, d): a syllable's is the sum of what it would have otherwise and of its three parts."""
    table: Reals = arrays[f"{prefix}chars.weight"]
    if alphabet.syllables is None:
        return table
    parts = np.unravel_index(np.arange(SYLLABLES), JAMO)
    jamo = [arrays[f"{prefix}jamo.{number}.weight"][part] for number, part in enumerate(parts)]
    return np.concatenate([table, table[alphabet.syllables] + (jamo[0] + jamo[1] + jamo[2])])
