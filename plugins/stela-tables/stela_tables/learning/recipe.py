"""What is learned, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Quantity = Literal["expected-gain", "spike-entropy", "gumbel-gain", "synthid-gain", "token-gini"]
"""The last counts which tokens follow in the text; the others ask a language model. Of marks by green lists,
Gumbel marks and tournaments; ``gumbel-gain`` holds the best weight of the mean gain g, ``g / (1 + g)``."""


@dataclass(frozen=True)
class Recipe:
    """How a table is learned."""

    quantity: Quantity = "expected-gain"
    longest: int = 10
    """Characters (or tags) of the longest context."""
    smoothing: float = 3.0
    """Weight of a context's suffix, in observations."""
    minimum: int = 3
    """Contexts seen less often are left out."""
    least: float = 0.02
    """Contexts whose value is nearer to that of their suffix, relative to the mean, are left out."""
    temperature: float = 0.7
    """Temperature at which the text to be marked is drawn."""
    max_tokens: int = 1_000_000
    """Most tokens of all corpora together, the same number of each."""

    @property
    def counts_followers(self) -> bool:
        """Whether values come from the tokens that follow in the text, not from a model."""
        return self.quantity == "token-gini"

    def described(self, models: int = 1) -> str:
        """The settings in words, for the table's record; ``models`` is how many were summed."""
        words = f"smoothing {self.smoothing:g}, seen {self.minimum} times, least {self.least:g}"
        if self.quantity not in ("spike-entropy", "token-gini"):
            words = f"temperature {self.temperature:g}, {words}"
        return words if models == 1 else f"sums of {models} models, {words}"
