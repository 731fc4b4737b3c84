"""Law: how a token's signal is distributed on unmarked text, over random keys."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal


@dataclass(frozen=True, slots=True)
class Law:
    """Distribution of one token's signal: a weighted sum of independent draws.

    Green lists have one Bernoulli(gamma) draw a token, 1 for green; a Gumbel mark has one Exp(1) draw;
    tournament sampling (SynthID) a fair bit a layer.
    """

    draws: Literal["bernoulli", "exponential"] = "bernoulli"
    """Each draw is 0 or 1, or exponential with mean 1."""
    gamma: float = 0.5
    """Probability that a Bernoulli draw is 1."""
    parts: tuple[float, ...] = (1.0,)
    """Weight of each draw of a token, above 0."""
    excess: float = 0.0
    """By how much a draw may exceed its law: P(draw >= x) <= (1 + excess) times the law's. Uniform numbers of
    few bits make exponential draws that do; p-values make up for it."""

    largest: float = inf
    """The largest value of an exponential draw, where uniform numbers of few bits bound it."""

    @property
    def mean(self) -> float:
        """Of a token's signal."""
        return (self.gamma if self.draws == "bernoulli" else 1.0) * sum(self.parts)

    @property
    def variance(self) -> float:
        """Of a token's signal."""
        one = self.gamma * (1 - self.gamma) if self.draws == "bernoulli" else 1.0
        return one * sum(part * part for part in self.parts)

    @property
    def is_green_list(self) -> bool:
        """Whether the signal is a colour: one Bernoulli draw of weight 1."""
        return self.draws == "bernoulli" and self.parts == (1.0,)
