"""The causal models without torch: each place of a text computed once, whatever its windows are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from stela_causal.convolution import affine, residual
from stela_causal.growing import Tags
from stela_causal.layers import TAPS, layer_of
from stela_causal.windows import Span, Windows

import stela_core as stela
from stela_ctb.causal_growing import GrowingPair, names_of
from stela_ctb.causal_kernels import Floats32, last_words
from stela_ctb.causal_network import DELAY
from stela_ctb.characters import Encoded, Ids
from stela_ctb.kernels import Flags

if TYPE_CHECKING:
    from stela_ctb.causal_components import CausalComponent, CausalTagger, CausalTokenizer

SAMPLE = "你好"
BLOCK = 1_024
"""Places whose vectors are computed together, so that they fit into the processor's cache."""
TEXTS = 256
"""Texts that are looked at together."""


class CausalArrays:
    """A :class:`stela_ctb.causal_network.CausalNetwork` as arrays of 32 bits."""

    def __init__(self, component: CausalComponent) -> None:
        weights = {name: tensor.float().numpy() for name, tensor in component.model.state_dict().items()}
        self.characters = component.characters
        self.tables = weights["chars.weight"], weights["pairs.weight"]
        names = ["first", *(f"blocks.{number}" for number in range(len(component.model.dilations) - 1))]
        self.layers = [layer_of(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
        self.labels = layer_of(weights["labels.weight"], weights["labels.bias"])
        self.dilations: list[int] = list(component.model.dilations)
        self.gap = (TAPS - 1) * max(self.dilations)
        """Places of nothing that keep two texts apart."""
        self.reach = (TAPS - 1) * sum(self.dilations) + 1
        """How many places before one decide its scores: those that convolutions see, and a pair's first."""

    def scores(self, encoded: Encoded) -> Floats32:
        """(n, delays * labels) scores of the characters ``d`` places before each place; none in gaps."""
        places = len(encoded.chars)
        parts = [np.zeros((0, len(self.labels[1])), dtype=np.float32)]
        for start in range(0, places, BLOCK):
            first = max(0, start - self.reach)
            end = min(start + BLOCK, places)
            hidden = self._hidden(
                encoded.chars[first:end], encoded.left[first:end], encoded.inside[first:end]
            )
            parts.append(affine(hidden[start - first :], *self.labels))
        return np.concatenate(parts)

    def _hidden(self, chars: Ids, left: Ids, inside: Flags) -> Floats32:
        given = np.concatenate([self.tables[0][chars], self.tables[1][left]], axis=1)
        given[~inside] = 0.0
        return residual(given, inside, self.layers, self.dilations)


class CausalPair(Windows):
    """Tokenizer and tagger together. No state, any thread may call it.

    A window is tagged as a text is, only by what stands in it. A text's pass
    over itself mostly says the same of the last words of a window. Where a decision depended on what stands
    before the window, the window is tagged by itself.
    """

    def __init__(self, tokenizer: CausalTokenizer, tagger: CausalTagger) -> None:
        self._tokenizer, self._tagger = CausalArrays(tokenizer), CausalArrays(tagger)
        self._encode_words, self._encode_tags = tokenizer.characters.encode, tagger.characters.encode
        self._names: list[str] = list(tagger.vocabs["tag"].idx_to_token)
        self._gap = max(self._tokenizer.gap, self._tagger.gap, DELAY)
        self.growing = GrowingPair(self._tokenizer, self._tagger, self._names)
        # Compiles what was not compiled yet: now, and not at the first token.
        self.last_tags([SAMPLE], 1)
        self.last_tags_anew([SAMPLE], 1)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text; spans in characters."""
        return [self._tag(text) for text in texts]

    def last_tags_anew(self, texts: Sequence[str], count: int) -> list[Tags]:
        """The last ``count`` > 0 tags of each text."""
        tags: list[Tags] = []
        for start in range(0, len(texts), TEXTS):
            batch = texts[start : start + TEXTS]
            spans = [[(0, len(text))] for text in batch]
            known = self._lying(batch, spans, min(count, max(map(len, batch), default=0)))
            tags += [one for one in known if one is not None]
        return tags

    def _lying(self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int) -> list[Tags | None]:
        words, sizes, unsure = self._words(texts, spans, count)
        return names_of(self._names, words, sizes, unsure)

    def _tag(self, text: str) -> list[stela.Tag]:
        words, sizes, _ = self._words([text], [[(0, len(text))]], len(text))
        rows = words[0, : sizes[0]][::-1].tolist()
        return [stela.Tag(self._names[tag], begin, end) for begin, end, tag in rows]

    def _words(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int
    ) -> tuple[Ids, Ids, Ids]:
        encoded = self._encode_words(texts, self._gap)
        scores = self._tokenizer.scores(encoded).reshape(len(encoded.chars), DELAY + 1, 2)
        begins = scores[:, :, 1] > scores[:, :, 0]
        tags = self._tagger.scores(self._encode_tags(texts, self._gap))
        offsets = np.repeat(np.array(encoded.starts, dtype=np.int64), [len(each) for each in spans])
        bounds = np.array(list(chain.from_iterable(spans)), dtype=np.int64).reshape(-1, 2)
        starts, ends = bounds[:, 0] + offsets, bounds[:, 1] + offsets
        # Where a window begins with its text nothing stands before it.
        inner = bounds[:, 0] > 0
        cut_from = np.where(inner, starts + self._tokenizer.reach, 0)
        tagged_from = np.where(inner, starts + self._tagger.reach, 0)
        words = np.zeros((len(starts), count, 3), dtype=np.int64)
        sizes, unsure = last_words(
            begins, tags, encoded.space, starts, ends, cut_from, tagged_from, count, words
        )
        words[:, :, :2] -= offsets[:, None, None]
        return words, sizes, unsure
