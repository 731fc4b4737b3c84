"""The network of the shipped models, to be trained: convolutions over characters, pairs and boundaries."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

SIDES = 3
"""A convolution sees a place and one at ``dilation`` steps on either side."""


def with_neighbours(vectors: Tensor, dilation: int) -> Tensor:
    """(..., n, width) to (..., n, 3 width): what stands ``dilation`` before, here, and behind."""
    nothing = vectors.new_zeros(*vectors.shape[:-2], dilation, vectors.shape[-1])
    before = torch.cat([nothing, vectors[..., :-dilation, :]], -2)[..., : vectors.shape[-2], :]
    behind = torch.cat([vectors[..., dilation:, :], nothing], -2)[..., : vectors.shape[-2], :]
    return torch.cat([before, vectors, behind], -1)


class CharacterNetwork(nn.Module):
    """Scores of labels for each character.

    Places outside the text are zero at every layer, whether they are padding, a gap between texts or
    not there at all: the scores of a text do not depend on what stands next to it.
    """

    def __init__(
        self,
        sizes: dict[str, int],
        char_width: int,
        pair_width: int,
        width: int,
        dilations: list[int],
        dropout: float = 0.0,
    ) -> None:
        """``sizes``: numbers of chars, pairs, boundaries (0: not an input), labels and side_labels."""
        super().__init__()
        self.dilations = dilations
        self.dropout = dropout
        self.chars = nn.Embedding(sizes["chars"], char_width)
        self.pairs = nn.Embedding(sizes["pairs"], pair_width)
        given = char_width + 2 * pair_width
        self.boundaries: nn.Embedding | None = None
        if sizes.get("boundaries"):
            self.boundaries = nn.Embedding(sizes["boundaries"], BOUNDARY_WIDTH)
            given += BOUNDARY_WIDTH
        self.first = nn.Linear(SIDES * given, width)
        self.blocks = nn.ModuleList(nn.Linear(SIDES * width, width) for _ in dilations)
        self.labels = nn.Linear(width, sizes["labels"])
        # For training alone: a second task on the same features.
        self.side: nn.Linear | None = None
        if sizes.get("side_labels"):
            self.side = nn.Linear(width, sizes["side_labels"])

    def features(
        self, chars: Tensor, left: Tensor, right: Tensor, inside: Tensor, boundaries: Tensor | None = None
    ) -> Tensor:
        """(..., n) ids, and a float that is 1 inside the text, to features (..., n, width)."""
        inside = inside.unsqueeze(-1)
        parts = [self.chars(chars), self.pairs(left), self.pairs(right)]
        if self.boundaries is not None:
            parts.append(self.boundaries(boundaries))
        given = self._drop(torch.cat(parts, -1) * inside)
        hidden = functional.relu(self.first(with_neighbours(given, 1))) * inside
        for dilation, block in zip(self.dilations, self.blocks, strict=True):
            seen = with_neighbours(self._drop(hidden), dilation)
            hidden = hidden + functional.relu(block(seen)) * inside
        return self._drop(hidden)

    def forward(
        self, chars: Tensor, left: Tensor, right: Tensor, inside: Tensor, boundaries: Tensor | None = None
    ) -> Tensor:
        """Scores (..., n, labels)."""
        scores: Tensor = self.labels(self.features(chars, left, right, inside, boundaries))
        return scores

    def _drop(self, vectors: Tensor) -> Tensor:
        return functional.dropout(vectors, self.dropout, self.training)


BOUNDARY_WIDTH = 8
"""Width of the embedding of B, M, E, S."""
