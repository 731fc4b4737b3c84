"""Where the cumulative distribution of a vocabulary in a keyed order passes a level, without sorting it."""

from __future__ import annotations

from typing import NamedTuple

import torch

BUCKETS = 4096
"""Number of buckets, of equal width, by the upper bits of the tokens' numbers."""

_SHIFT = 20
"""32 bits less those of a bucket."""


class Crossing(NamedTuple):
    """The token of one row at which the sum of the probabilities so far passes a level."""

    token: int
    beyond: float
    """Share of its probability that lies above the level, 0 to 1."""


class Cumulative:
    """The cumulative distribution of one row, tokens in the order of their numbers.

    The buckets' sums are taken once; a level then sorts the tokens of one bucket. Sums are float64.

    Args:
        probabilities: (tokens,), float64, of any sum above 0.
        numbers: (tokens,), int64 in 0 .. 2**32 - 1, all different.
    """

    def __init__(self, probabilities: torch.Tensor, numbers: torch.Tensor) -> None:
        self._probabilities = probabilities
        self._numbers = numbers
        self._buckets = numbers >> _SHIFT
        sums = probabilities.new_zeros(BUCKETS).index_add_(0, self._buckets, probabilities)
        self._sums = sums.cumsum_(0)

    def crossing(self, level: float) -> Crossing:
        """The first token with which the sum is above ``level``, 0 <= level < 1, of the sum of all."""
        mark = float(self._sums[-1]) * level
        # A bucket in which the sum rises above the mark has a token whose probability is above 0.
        bucket = int(torch.searchsorted(self._sums, mark, right=True))
        inside = torch.nonzero(self._buckets == bucket)[:, 0]
        inside = inside[self._numbers[inside].argsort()]
        inside = inside[self._probabilities[inside] > 0]
        before = float(self._sums[bucket - 1]) if bucket else 0.0
        sums = self._probabilities[inside].cumsum(0) + before
        # Rounding may leave the last sum of the bucket just below the mark.
        place = min(int(torch.searchsorted(sums, mark, right=True)), len(inside) - 1)
        token = int(inside[place])
        share = (float(sums[place]) - mark) / float(self._probabilities[token])
        return Crossing(token, min(max(share, 0.0), 1.0))
