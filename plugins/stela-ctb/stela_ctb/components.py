"""The shipped tokenizer and tagger, which see both sides, with torch: they are called as HanLP's are.

Scores are of 64 bits: what stands in the same batch changes one by 1e-15 at most, which turns no decision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from stela_ctb.characters import alphabet_of

B, M, E, S = range(4)
"""Labels of characters: the first of a word, inside, the last, a word by itself."""
NO_WORD = -1
NEVER = -1e9
FOLLOWS = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1]], dtype=bool)
"""(4, 4) whether a label (column) may stand behind another (row)."""
SPECIAL, SPECIAL_PAIRS = 6, 2
"""First rows of tables: nothing, Chinese, digit, letter, space, other; nothing, unknown."""
ROWS = [0, 4, 1, 2, 3, 5]
"""Those of characters in the order of :class:`stela_causal.alphabet.Alphabet`."""
BLOCK = 8_192
"""Places that are computed together."""

Labels = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Items = Sequence[str]


class CharacterModel:
    """Scores of labels for each character of texts, from a residual network of convolutions.

    Args:
        vocabularies: ``char``, ``pair`` and ``tag``, as HanLP writes them.
        weights: arrays by name; the first ones of a ``char`` or ``pair`` are special.
        dilations: of the layers but the first, whose is 1.
    """

    def __init__(self, vocabularies: dict[str, Any], weights: dict[str, Tensor], dilations: list[int]) -> None:
        known = {name: vocabularies[name]["idx_to_token"] for name in ("char", "pair", "tag")}
        self.names: list[str] = known["tag"]
        self._alphabet = alphabet_of(known["char"][SPECIAL:], known["pair"][SPECIAL_PAIRS:])
        arrays = {name: tensor.double() for name, tensor in weights.items()}
        chars, self._pairs = arrays["chars.weight"], arrays["pairs.weight"][SPECIAL_PAIRS - 1 :]
        self._chars = torch.cat([chars[ROWS], chars[SPECIAL:]])
        self._boundaries = arrays.get("boundaries.weight")
        names = ["first", *(f"blocks.{number}" for number in range(len(dilations)))]
        self._layers = [
            (_sides(arrays[f"{name}.weight"]), arrays[f"{name}.bias"], step)
            for name, step in zip(names, [1, *dilations], strict=True)
        ]
        self._labels = arrays["labels.weight"], arrays["labels.bias"]

    @classmethod
    def read(cls, folder: Path) -> CharacterModel:
        """The model in a folder: ``config.json``, ``vocabs.json`` and ``model.pt``."""
        config, vocabularies = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in NAMES)
        return cls(vocabularies, torch.load(folder / "model.pt", weights_only=True), config["dilations"])

    @torch.no_grad()
    def scores(self, texts: Sequence[str], labels: Sequence[Labels] | None = None) -> list[Scores]:
        """(n, labels) scores of the characters of each text, given the labels of words where those are seen."""
        reach = sum(step for _, _, step in self._layers)
        encoded = self._alphabet.encode(texts, reach)
        left = encoded.endings[:, 0]
        ids = [encoded.chars, left, np.append(left[1:], 0)]
        tables = [self._chars, self._pairs, self._pairs]
        if self._boundaries is not None and labels is not None:
            places = [np.append(part + 1, np.zeros(reach, np.int64)) for part in labels]
            ids.append(np.concatenate(places).astype(np.int64))
            tables.append(self._boundaries)
        inside = torch.from_numpy(encoded.inside).double()
        size = len(inside)
        parts = []
        for start in range(0, size, BLOCK):
            first, last = max(0, start - reach), min(size, start + BLOCK + reach)
            some = [table[torch.from_numpy(one[first:last])] for table, one in zip(tables, ids, strict=True)]
            parts.append(self._block(torch.cat(some, 1), inside[first:last])[start - first :][:BLOCK])
        scores = torch.cat(parts).numpy() if parts else np.zeros((0, len(self.names)))
        starts = zip(encoded.starts, texts, strict=True)
        return [scores[start : start + len(text)] for start, text in starts]

    def _block(self, given: Tensor, inside: Tensor) -> Tensor:
        seen, hidden = (given * inside[:, None]).T[None], torch.zeros(())
        for weight, bias, step in self._layers:
            more = functional.conv1d(seen, weight, bias, padding=step, dilation=step)
            hidden = seen = hidden + torch.relu(more) * inside
        return functional.linear(hidden[0].T, *self._labels)


NAMES = ("config", "vocabs")


def _sides(weight: Tensor) -> Tensor:
    """(out, 3 in) weights of what stands before, here and behind, to those of a convolution (out, in, 3)."""
    return weight.reshape(len(weight), 3, -1).transpose(1, 2).contiguous()


class CharacterTokenizer(CharacterModel):
    """Texts to words; runs of white space are separate items, so that the items join to the text."""

    def predict(self, texts: Sequence[str]) -> list[list[str]]:
        """Items of each text."""
        return [words_of(*one) for one in zip(texts, self.scores(texts), strict=True)]


class CharacterTagger(CharacterModel):
    """Words to tags, by the mean score of a word's characters; an item of white space has the tag ``""``."""

    def predict(self, tokens: Sequence[Items]) -> list[list[str]]:
        """Tags of the items of each text."""
        texts, spans = ["".join(items) for items in tokens], [spans_of(items) for items in tokens]
        labels = [labels_of(words, len(text)) for words, text in zip(spans, texts, strict=True)]
        filled = []
        for items, words, scores in zip(tokens, spans, self.scores(texts, labels), strict=True):
            tags = iter([self.names[int(scores[start:end].mean(0).argmax())] for start, end in words])
            filled.append(["" if item.isspace() else next(tags) for item in items])
        return filled


def best_labels(scores: Scores) -> Labels:
    """(n,) the labels of the highest sum of (n, 4) scores that part n > 0 characters into words.

    Viterbi's algorithm; of two that are equal, the label that comes first of B, M, E and S.
    """
    moves = np.where(FOLLOWS, 0.0, NEVER)
    best = scores[0] + np.array([0.0, NEVER, NEVER, 0.0])
    back = []
    for row in scores[1:]:
        ways = best[:, None] + moves
        back.append(ways.argmax(0))
        best = ways.max(0) + row
    path = [int((best + np.array([NEVER, NEVER, 0.0, 0.0])).argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return np.array(path[::-1])


def words_of(text: str, scores: Scores) -> list[str]:
    """Words and runs of white space that join to ``text``, from (n, 4) scores of its characters."""
    words = []
    for match in re.finditer(r"(?P<space>\s+)|\S+", text):
        start, end = match.span()
        ends = [end] if match["space"] else start + 1 + np.flatnonzero(best_labels(scores[start:end]) >= E)
        words += [text[a:b] for a, b in pairwise([start, *ends])]
    return words


def labels_of(spans: Sequence[tuple[int, int]], size: int) -> Labels:
    """(size,) labels of words at ``spans``; -1 where there is no word."""
    labels = np.full(size, NO_WORD)
    for start, end in spans:
        labels[start:end] = M
        labels[start], labels[end - 1] = (B, E) if end - start > 1 else (S, S)
    return labels


def spans_of(items: Items) -> list[tuple[int, int]]:
    """Start and end of the words among ``items`` in the text that they make up; white space is not a word."""
    spans, start = [], 0
    for item in items:
        if not item.isspace():
            spans.append((start, start + len(item)))
        start += len(item)
    return spans
