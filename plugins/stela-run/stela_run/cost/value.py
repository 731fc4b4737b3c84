"""What a mark costs at a position."""

from __future__ import annotations

from typing import NamedTuple


class Cost(NamedTuple):
    """What the mark costs at a position, in nats; 0 throughout where it marks nothing."""

    divergence: float = 0.0
    """KL(q || p), q the mean over keys: what a reader of texts under many keys could notice. Without the bias
    of a finite number of keys, so it may come out a little below 0."""
    surprisal: float = 0.0
    """Rise of E[-log p] from p to q: that of log-perplexity by the writing model."""
    per_key: float = 0.0
    """Mean over keys of KL(q_k || p): what a reader of many texts under one key could notice."""

    def of(self, aim: str) -> float:
        """The cost that experiments and pilots call so."""
        return self.per_key if aim == "divergence_per_key" else float(getattr(self, aim))
