"""The shipped tokenizer and tagger, which see both sides, with torch.

Scores are of 64 bits: what stands in the same batch changes one by 1e-15 at most, which turns no decision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

import stela_core as stela
from stela_ctb.characters import alphabet_of

B, M, E, S = range(4)
"""Labels of characters: the first of a word, inside, the last, a word by itself."""
NO_WORD = -1
CONFIGS = ("config", "vocabs")
FOLLOWS = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1]], dtype=bool)
"""(4, 4) whether a label (column) may stand behind another (row)."""
FIRST, LAST = (np.array(one, dtype=bool) for one in ([1, 0, 0, 1], [0, 0, 1, 1]))
NEVER = -1e9
"""The score of what cannot be."""
SPECIAL = {"char": 6, "pair": 2}
"""First rows of tables: nothing, Chinese, digit, letter, space, other; nothing, unknown."""
ROWS = [0, 4, 1, 2, 3, 5]
"""The rows of characters in the order of :class:`stela_causal.alphabet.Alphabet`."""
BLOCK = 8_192
"""Places that are computed together."""

Labels = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Spans = Sequence[tuple[int, int]]


class CharacterNetwork:
    """Scores of labels for each character of texts, from a residual network of convolutions.

    Args:
        vocabularies: ``char``, ``pair`` and ``tag``, as HanLP writes them.
        weights: arrays by name.
        dilations: of the layers but the first, whose is 1.
    """

    def __init__(
        self, vocabularies: Mapping[str, Any], weights: Mapping[str, Tensor], dilations: Sequence[int]
    ) -> None:
        chars, pairs = (vocabularies[one]["idx_to_token"][first:] for one, first in SPECIAL.items())
        self.names: list[str] = vocabularies["tag"]["idx_to_token"]
        self._alphabet = alphabet_of(chars, pairs)
        arrays = {name: tensor.double() for name, tensor in weights.items()}
        of_chars, of_pairs = arrays["chars.weight"], arrays["pairs.weight"][1:]
        self._tables = [torch.cat([of_chars[ROWS], of_chars[len(ROWS) :]]), of_pairs, of_pairs]
        if "boundaries.weight" in arrays:
            self._tables.append(arrays["boundaries.weight"])
        steps = {"first": 1} | {f"blocks.{number}": step for number, step in enumerate(dilations)}
        self._layers = [
            (_sides(arrays[f"{name}.weight"]), arrays[f"{name}.bias"], step) for name, step in steps.items()
        ]
        self._labels = arrays["labels.weight"], arrays["labels.bias"]

    @torch.no_grad()
    def scores(self, texts: Sequence[str], labels: Sequence[Labels] = ()) -> list[Scores]:
        """(n, labels) scores of the characters of each text, given labels of words where they are seen."""
        reach = sum(step for _, _, step in self._layers)
        encoded = self._alphabet.encode(texts, reach)
        left = encoded.endings[:, 0]
        # The pair on the right of a place is the one on the left of the next.
        ids = [encoded.chars, left, np.append(left[1:], 0)]
        if labels:
            ids.append(np.concatenate([np.append(one + 1, np.zeros(reach, np.int64)) for one in labels]))
        inside = torch.from_numpy(encoded.inside).double()
        parts = [torch.zeros(0, len(self.names))]
        for start in range(0, len(inside), BLOCK):
            first, end = max(0, start - reach), start + BLOCK + reach
            given = [table[one[first:end]] for table, one in zip(self._tables, ids, strict=True)]
            parts.append(self._block(torch.cat(given, 1), inside[first:end])[start - first :][:BLOCK])
        scores = torch.cat(parts).numpy()
        return [scores[at : at + len(text)] for at, text in zip(encoded.starts, texts, strict=True)]

    def _block(self, given: Tensor, inside: Tensor) -> Tensor:
        seen, hidden = (given * inside[:, None]).T[None], torch.zeros(())
        for weight, bias, step in self._layers:
            more = functional.conv1d(seen, weight, bias, padding=step, dilation=step)
            hidden = seen = hidden + torch.relu(more) * inside
        return functional.linear(hidden[0].T, *self._labels)


def _sides(weight: Tensor) -> Tensor:
    """(out, 3 in) weights of what stands before, here and behind, to those of a convolution (out, in, 3)."""
    return weight.reshape(len(weight), 3, -1).transpose(1, 2).contiguous()


def read_network(folder: Path) -> CharacterNetwork:
    """The network in a folder: ``config.json``, ``vocabs.json`` and ``model.pt``."""
    config, vocabularies = (json.loads((folder / f"{one}.json").read_text("utf-8")) for one in CONFIGS)
    return CharacterNetwork(
        vocabularies, torch.load(folder / "model.pt", weights_only=True), config["dilations"]
    )


def tag(tokenizer: CharacterNetwork, tagger: CharacterNetwork, texts: Sequence[str]) -> list[list[stela.Tag]]:
    """Tags of texts: the words are those of highest score, and the tag is that of the mean of a word's."""
    spans = [words_of(*one) for one in zip(texts, tokenizer.scores(texts), strict=True)]
    tags = zip(spans, tags_of(tagger, texts, spans), strict=True)
    return [[stela.Tag(name, *span) for span, name in zip(*one, strict=True)] for one in tags]


def tags_of(tagger: CharacterNetwork, texts: Sequence[str], spans: Sequence[Spans]) -> list[list[str]]:
    """Tags of the words of each text."""
    labels = [labels_of(words, len(text)) for words, text in zip(spans, texts, strict=True)]
    scored = zip(spans, tagger.scores(texts, labels), strict=True)
    return [[tagger.names[int(scores[a:b].mean(0).argmax())] for a, b in words] for words, scores in scored]


def words_of(text: str, scores: Scores) -> list[tuple[int, int]]:
    """Spans of the words of ``text``, from (n, 4) scores of its characters; white space parts words."""
    spans: list[tuple[int, int]] = []
    for match in re.finditer(r"\S+", text):
        start, end = match.span()
        ends = start + 1 + np.flatnonzero(LAST[best_labels(scores[start:end])])
        spans += pairwise([start, *ends.tolist()])
    return spans


def best_labels(scores: Scores) -> Labels:
    """(n,) the labels of the highest sum of (n, 4) scores that part n > 0 characters into words.

    Viterbi's algorithm; of two that are equal, the label that comes first of B, M, E and S.
    """
    moves = np.where(FOLLOWS, 0.0, NEVER)
    best = scores[0] + np.where(FIRST, 0.0, NEVER)
    back = []
    for row in scores[1:]:
        ways = best[:, None] + moves
        back.append(ways.argmax(0))
        best = ways.max(0) + row
    path = [int((best + np.where(LAST, 0.0, NEVER)).argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return np.array(path[::-1])


def labels_of(spans: Spans, size: int) -> Labels:
    """(size,) labels of words at ``spans``; -1 where there is no word."""
    labels = np.full(size, NO_WORD)
    for start, end in spans:
        labels[start:end] = M
        labels[start], labels[end - 1] = (B, E) if end - start > 1 else (S, S)
    return labels
