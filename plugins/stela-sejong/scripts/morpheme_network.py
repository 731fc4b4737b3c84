"""The network: convolutions that look left only, and what they say of each character later.

What is computed of a place depends on it and a bounded number of places before it. What stands *behind* a
character is known all the same, where the text goes on: place ``j`` gives scores of the character at
``j - d`` for each delay ``d``. A character is judged by the latest place that the text holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stela_causal.alphabet import JAMO, SYLLABLES, Alphabet
from torch import Tensor, nn
from torch.nn import functional

TAPS = 3
"""A convolution sees a place and those one and two ``dilation`` steps before it."""


def with_earlier(vectors: Tensor, dilation: int) -> Tensor:
    """(b, n, width) to (b, n, 3 width): what stands two and one ``dilation`` before, and here."""
    size = vectors.shape[1]
    long = functional.pad(vectors, (0, 0, 2 * dilation, 0))
    return torch.cat([long[:, step * dilation :][:, :size] for step in range(TAPS)], 2)


class CausalNetwork(nn.Module):
    """Scores of labels for the character at each delay before each place."""

    parts: Tensor
    own: Tensor

    def __init__(self, characters: Alphabet, labels: int, shape: dict[str, Any]) -> None:
        """``shape``: char_width, pair_width, width, dilations, delay, dropout."""
        super().__init__()
        self.dilations: list[int] = shape["dilations"]
        self.delay: int = shape["delay"]
        self.dropout: float = shape["dropout"]
        self.others = characters.size
        assert characters.syllables is not None
        parts = np.stack(np.unravel_index(np.arange(SYLLABLES), JAMO), 1)
        self.register_buffer("parts", torch.from_numpy(parts), persistent=False)
        self.register_buffer("own", torch.from_numpy(characters.syllables.astype(np.int64)), persistent=False)
        self.chars = nn.Embedding(characters.size, shape["char_width"])
        self.jamo = nn.ModuleList(nn.Embedding(size, shape["char_width"]) for size in JAMO)
        self.pairs = nn.Embedding(1 << characters.bits, shape["pair_width"])
        self.triples = nn.Embedding(1 << characters.bits, shape["pair_width"])
        for table in (self.chars, *self.jamo, self.pairs, self.triples):
            nn.init.normal_(table.weight, std=0.5)
        width = shape["width"]
        given = shape["char_width"] + 2 * shape["pair_width"]
        self.first = nn.Linear(TAPS * given, width)
        self.blocks = nn.ModuleList(nn.Linear(TAPS * width, width) for _ in self.dilations[1:])
        self.labels = nn.ModuleList(nn.Linear(width, labels) for _ in range(self.delay + 1))

    def of_chars(self, chars: Tensor) -> Tensor:
        """Vectors of ids of characters; a syllable's is the sum of its id's, known or not, and its parts'."""
        syllable = (chars - self.others).clamp(min=0)
        is_syllable = chars >= self.others
        own: Tensor = self.chars(torch.where(is_syllable, self.own[syllable], chars))
        parts = self.parts[syllable]
        initial, medial, final = (table(parts[..., number]) for number, table in enumerate(self.jamo))
        jamo: Tensor = initial + medial + final
        return own + jamo * is_syllable.unsqueeze(-1)

    def features(self, chars: Tensor, pairs: Tensor, triples: Tensor, inside: Tensor) -> Tensor:
        """(b, n) ids and buckets, and 1.0 inside texts, to (b, n, width)."""
        inside = inside.unsqueeze(-1)
        given = torch.cat([self.of_chars(chars), self.pairs(pairs), self.triples(triples)], -1)
        given = self._drop(given * inside)
        hidden = functional.relu(self.first(with_earlier(given, self.dilations[0]))) * inside
        for dilation, block in zip(self.dilations[1:], self.blocks, strict=True):
            hidden = hidden + functional.relu(block(with_earlier(self._drop(hidden), dilation))) * inside
        return self._drop(hidden)

    def _drop(self, vectors: Tensor) -> Tensor:
        return functional.dropout(vectors, self.dropout, self.training)
