"""The networks of the causal model, to be trained: convolutions that look left only, which judge later.

What is computed of a place depends on it and a bounded number of places before it, so that a text that grows
is computed place by place, and a window of it is the same work. What stands *behind* a character is known all
the same, where the text goes on: place ``j`` gives scores of the character at ``j - d`` for each delay ``d``
up to ``DELAY``. A character is judged by the latest place that the text holds.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

TAPS = 3
"""A convolution sees a place and those one and two ``dilation`` steps before it."""
DELAY = 3
"""Characters behind one that its label may wait for."""


def with_earlier(vectors: Tensor, dilation: int) -> Tensor:
    """(..., n, width) to (..., n, 3 width): what stands two and one ``dilation`` before, and here."""
    size = vectors.shape[-2]
    nothing = vectors.new_zeros(*vectors.shape[:-2], 2 * dilation, vectors.shape[-1])
    long = torch.cat([nothing, vectors], -2)
    return torch.cat([long[..., step * dilation :, :][..., :size, :] for step in range(TAPS)], -1)


class CausalNetwork(nn.Module):
    """Scores of labels for the character at each delay before each place.

    Places outside the text are zero at every layer, so that the scores of a text do not depend on what
    stands next to it.
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
        """``sizes``: numbers of chars, pairs, labels, side_labels; ``dilations``: of all layers."""
        super().__init__()
        self.dilations = dilations
        self.dropout = dropout
        self.chars = nn.Embedding(sizes["chars"], char_width)
        self.pairs = nn.Embedding(sizes["pairs"], pair_width)
        self.first = nn.Linear(TAPS * (char_width + pair_width), width)
        self.blocks = nn.ModuleList(nn.Linear(TAPS * width, width) for _ in dilations[1:])
        self.labels = nn.Linear(width, (DELAY + 1) * sizes["labels"])
        # For training alone: a second task on the same features.
        self.side: nn.Linear | None = None
        if sizes.get("side_labels"):
            self.side = nn.Linear(width, (DELAY + 1) * sizes["side_labels"])

    def features(self, chars: Tensor, left: Tensor, inside: Tensor) -> Tensor:
        """(..., n) ids of characters, of the pairs that end there, and 1.0 inside, to (..., n, width)."""
        inside = inside.unsqueeze(-1)
        given = self._drop(torch.cat([self.chars(chars), self.pairs(left)], -1) * inside)
        hidden = functional.relu(self.first(with_earlier(given, self.dilations[0]))) * inside
        for dilation, block in zip(self.dilations[1:], self.blocks, strict=True):
            seen = with_earlier(self._drop(hidden), dilation)
            hidden = hidden + functional.relu(block(seen)) * inside
        return self._drop(hidden)

    def forward(self, chars: Tensor, left: Tensor, inside: Tensor) -> Tensor:
        """Scores (..., n, delays, labels): of the character ``d`` places before each place."""
        return by_delay(self.labels(self.features(chars, left, inside)))

    def _drop(self, vectors: Tensor) -> Tensor:
        return functional.dropout(vectors, self.dropout, self.training)


def by_delay(scores: Tensor) -> Tensor:
    """(..., n, delays * labels) to (..., n, delays, labels)."""
    return scores.reshape(*scores.shape[:-1], DELAY + 1, -1)
