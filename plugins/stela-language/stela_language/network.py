"""The network in torch: what :class:`stela_causal.word_network.WordNetwork` computes, to be trained."""

from __future__ import annotations

import torch
from stela_causal.layers import TAPS
from stela_causal.word_files import Description
from torch import Tensor, nn
from torch.nn import functional

HIDDEN_DROPOUT = 0.1
ENDING_DROPOUT = 0.15
"""Share of endings that are left out, so that words that were never seen are learnt from their parts."""


class Network(nn.Module):
    """Scores for the character at each delay before each place."""

    def __init__(self, shape: Description) -> None:
        super().__init__()
        sizes = shape.shapes()
        self.dilations = shape.dilations
        self.chars = nn.Embedding(sizes["chars.weight"][0], shape.char_width)
        self.endings = nn.ModuleList(nn.Embedding(1 << shape.bits, shape.ending_width) for _ in shape.lengths)
        for table in (self.chars, *self.endings):
            nn.init.normal_(table.weight, std=0.3)
        layers = [sizes[f"layers.{number}.weight"] for number in range(len(shape.dilations))]
        self.layers = nn.ModuleList(nn.Linear(given, width) for width, given in layers)
        self.scores = nn.Linear(shape.width, sizes["scores.bias"][0])

    def forward(self, chars: Tensor, endings: Tensor, inside: Tensor) -> Tensor:
        """(b, n) ids, (b, n, lengths) buckets, (b, n) 1.0 inside texts, to (b, n, scores)."""
        inside = inside.unsqueeze(-1)
        parts = [self.chars(chars)]
        for number, table in enumerate(self.endings):
            vectors = table(endings[..., number])
            if self.training:
                vectors = vectors * (torch.rand(chars.shape) >= ENDING_DROPOUT).unsqueeze(-1)
            parts.append(vectors)
        given = torch.cat(parts, -1) * inside
        hidden: Tensor | None = None
        for layer, dilation in zip(self.layers, self.dilations, strict=True):
            more = functional.relu(layer(with_earlier(given, dilation))) * inside
            hidden = more if hidden is None else hidden + more
            given = functional.dropout(hidden, HIDDEN_DROPOUT, self.training)
        scores: Tensor = self.scores(given)
        return scores


def with_earlier(vectors: Tensor, dilation: int) -> Tensor:
    """(b, n, width) to (b, n, TAPS width): what stands two and one ``dilation`` before, and here."""
    size = vectors.shape[1]
    long = functional.pad(vectors, (0, 0, (TAPS - 1) * dilation, 0))
    return torch.cat([long[:, tap * dilation :][:, :size] for tap in range(TAPS)], 2)
