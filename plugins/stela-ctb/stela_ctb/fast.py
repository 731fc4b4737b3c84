"""The shipped models without torch: the same network on numpy arrays, for texts of any length."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from stela_causal.layers import AT_ONCE

import stela_core as stela
from stela_ctb.boundaries import B, E, S
from stela_ctb.characters import Encoded, Ids
from stela_ctb.kernels import Flags, Floats, best_labels, best_tags, classify, convolve

if TYPE_CHECKING:
    from stela_ctb.components import CharacterComponent, CharacterTagger, CharacterTokenizer

SAMPLE = "你好"
BLOCK = 1024
"""Places whose vectors are computed together, so that they fit into the processor's cache."""


class Layer(NamedTuple):
    """A convolution: weights (3 in, out), in padded to a multiple of 4; bias (out,); its step."""

    weight: Floats
    bias: Floats
    dilation: int


class FastNetwork:
    """A :class:`stela_ctb.network.CharacterNetwork` as arrays."""

    def __init__(self, component: CharacterComponent) -> None:
        network = component.model

        def array(name: str) -> Floats:
            weights: Floats = network.state_dict()[name].double().numpy()
            return weights

        self._tables = [array("chars.weight"), array("pairs.weight"), array("pairs.weight")]
        if network.boundaries is not None:
            self._tables.append(array("boundaries.weight"))
        self._layers = [
            _layer(array(f"{name}.weight"), array(f"{name}.bias"), dilation)
            for name, dilation in [
                ("first", 1),
                *((f"blocks.{number}", step) for number, step in enumerate(network.dilations)),
            ]
        ]
        self._labels = np.ascontiguousarray(array("labels.weight").T)
        self._label_bias = array("labels.bias")
        self.gap = max(layer.dilation for layer in self._layers)
        """Places of nothing that keep two texts apart."""
        self.reach = sum(layer.dilation for layer in self._layers)
        """How many places either side decide a score."""

    def scores(self, ids: Sequence[Ids], inside: Flags) -> Floats:
        """(n, labels) scores from (n,) ids of characters, left and right pairs, and maybe boundaries."""
        places = len(inside)
        all_scores = np.zeros((places, len(self._label_bias)))
        for start in range(0, places, BLOCK):
            end = min(start + BLOCK, places)
            first, last = max(0, start - self.reach), min(places, end + self.reach)
            scores = self._block([part[first:last] for part in ids], inside[first:last])
            all_scores[start:end] = scores[start - first : end - first]
        return all_scores

    def _block(self, ids: Sequence[Ids], inside: Flags) -> Floats:
        width = len(self._layers[0].weight) // 3
        given = np.zeros((len(inside), width))
        column = 0
        for table, part in zip(self._tables, ids, strict=True):
            given[:, column : column + table.shape[1]] = table[part]
            column += table.shape[1]
        given[~inside] = 0.0
        hidden = np.zeros((len(inside), len(self._layers[0].bias)))
        convolve(given, inside, *self._layers[0], hidden)
        for layer in self._layers[1:]:
            before = hidden.copy()
            convolve(before, inside, *layer, hidden)
        scores = np.zeros((len(inside), len(self._label_bias)))
        classify(hidden, inside, self._labels, self._label_bias, scores)
        return scores


def _layer(weight: Floats, bias: Floats, dilation: int) -> Layer:
    """(out, 3 in) as torch has it to (3 in, out)."""
    sides = weight.reshape(len(bias), 3, -1).transpose(1, 2, 0)
    padding = -sides.shape[1] % AT_ONCE
    padded = np.pad(sides, ((0, 0), (0, padding), (0, 0)))
    return Layer(np.ascontiguousarray(padded.reshape(-1, len(bias))), bias, dilation)


class Words(NamedTuple):
    """The words of texts laid one behind the other: (w,) each, and how many each text has."""

    starts: Ids
    ends: Ids
    counts: Ids


class FastPair:
    """Tokenizer and tagger together: texts to tags with spans. No state, any thread may call it."""

    def __init__(self, tokenizer: CharacterTokenizer, tagger: CharacterTagger) -> None:
        self._tokenizer, self._tagger = FastNetwork(tokenizer), FastNetwork(tagger)
        self._encode_words, self._encode_tags = tokenizer.characters.encode, tagger.characters.encode
        self._names: list[str] = list(tagger.vocabs["tag"].idx_to_token)
        # Compiles what was not compiled yet: now, and not at the first token.
        self.last_tags([SAMPLE], 1)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text; spans in characters."""
        encoded, labels, words = self._cut(texts)
        tags = self._tag(texts, labels[encoded.inside], words, encoded.starts)
        text_starts = np.repeat(np.array(encoded.starts, dtype=np.int64), words.counts)
        names = [self._names[tag] for tag in tags.tolist()]
        begins, ends = (words.starts - text_starts).tolist(), (words.ends - text_starts).tolist()
        every = list(map(stela.Tag, names, begins, ends))
        bounds = np.concatenate([[0], np.cumsum(words.counts)]).tolist()
        return [every[first:last] for first, last in pairwise(bounds)]

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` > 0 tags of each text: only what they depend on is tagged."""
        encoded, labels, words = self._cut(texts)
        last = np.cumsum(words.counts)
        first = np.maximum(last - words.counts, last - count)
        tails, parts, places = [], [], []
        for number, text in enumerate(texts):
            start = encoded.starts[number]
            if first[number] < last[number]:
                # One more than the network's reach: a pair looks at the character before.
                from_place = max(start, int(words.starts[first[number]]) - self._tagger.reach - 1)
            else:
                from_place = start + len(text)
            tails.append(text[from_place - start :])
            parts.append(labels[from_place : start + len(text)])
            places.append(from_place)
        chosen = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        kept = Words(words.starts[chosen], words.ends[chosen], last - first)
        tags = self._tag(tails, np.concatenate(parts), kept, places).tolist()
        names = [self._names[tag] for tag in tags]
        bounds = np.concatenate([[0], np.cumsum(kept.counts)]).tolist()
        return [tuple(names[a:b]) for a, b in pairwise(bounds)]

    def _cut(self, texts: Sequence[str]) -> tuple[Encoded, Ids, Words]:
        """Texts to labels of their characters, -1 for white space and gaps, and to words."""
        encoded = self._encode_words(texts, self._tokenizer.gap)
        scores = self._tokenizer.scores((encoded.chars, encoded.left, encoded.right), encoded.inside)
        labels: Ids = best_labels(scores, encoded.space)
        starts = np.nonzero((labels == B) | (labels == S))[0]
        ends = np.nonzero((labels == E) | (labels == S))[0] + 1
        bounds = np.searchsorted(starts, [*encoded.starts, len(labels)])
        return encoded, labels, Words(starts, ends, np.diff(bounds))

    def _tag(self, texts: Sequence[str], labels: Ids, words: Words, places: Sequence[int]) -> Ids:
        """(w,) tags of ``words``, whose places count from where each text begins in ``places``.

        ``labels`` are those of all characters of ``texts``, without gaps.
        """
        encoded = self._encode_tags(texts, self._tagger.gap)
        boundaries = np.zeros(len(encoded.chars), dtype=np.int64)
        boundaries[encoded.inside] = labels + 1
        ids = (encoded.chars, encoded.left, encoded.right, boundaries)
        scores = self._tagger.scores(ids, encoded.inside)
        moved = np.array(encoded.starts, dtype=np.int64) - np.array(places, dtype=np.int64)
        moves = np.repeat(moved, words.counts)
        tags: Ids = best_tags(scores, words.starts + moves, words.ends + moves)
        return tags
