"""The binomial encoding of "Every Bit, Everywhere, All at Once" (Gloaguen et al., arXiv 2605.11653), 16 bits.

Each (context, token) has a fair coin for each bit of the message. At insertion the bias is delta times the
share of coins that agree with the message (XNOR), as their code has it on green lists; the bit of a text is
the majority of its coins. Their second encoder, which raises bits that lag behind in the text so far, is not
here: it has a state, and detection is the same.

The paper's p-value of a bit is two-sided, of a text that nobody chose bits by. Here: over unmarked text all
coins under one message are fair, so their sum is binomial, and its p-value is times the number of messages.
Under message m a token is no less likely where its coin agrees, so of each bit no more than half of the coins
disagree, whatever came before. With b bits::

    P(some bit is read otherwise than m's with b p(bit) <= a) <= a
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator
from stela_payload.interface import EncoderParameters, Message, ScoredTokens, SeedEncoder

import stela_core as stela
from stela_multibit.seeds import (
    HELD,
    HoldingHasher,
    Words,
    message_of,
    numbers,
    require_mark,
    stakes_of,
    tail,
)

if TYPE_CHECKING:
    import torch

BITS = 16
"""Bits of a message: what a seed has room for."""


def coins_of(seeds: Words, tokens: npt.NDArray[np.int64]) -> Words:
    """16 coins for each token, as a number, (n,)."""
    return np.asarray(numbers(seeds, tokens) >> np.uint64(32 - BITS))


def agreeing(seeds: Words, tokens: npt.NDArray[np.int64]) -> Words:
    """Which coins agree with the message in the seed, as a number, (n,)."""
    return np.asarray((coins_of(seeds, tokens) ^ seeds ^ HELD) & HELD)


class FairCoins(stela.HasherParameters):
    """Fair coins."""

    gamma: float = Field(0.5, ge=0.5, le=0.5)
    """Probability that a coin agrees: 0.5."""


class BinomialHasher(HoldingHasher):
    """A bias for each coin that agrees: no token is green or red, some are greener."""

    name = "multibit-binomial"
    Parameters = FairCoins

    @property
    def law(self) -> stela.Law:
        """The mean of 16 fair coins."""
        return stela.Bernoulli(0.5, (1 / BITS,) * BITS)

    def green(self, seeds: Words, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """What is shown of a token: whether the first coin agrees."""
        return np.asarray(agreeing(seeds, tokens) >> np.uint64(BITS - 1) == 1)

    def draws(self, seeds: Words, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Which coins agree, the first bit's first, (n, 16)."""
        shifts = np.arange(BITS - 1, -1, -1, dtype=np.uint64)
        return (agreeing(seeds, tokens)[:, None] >> shifts & np.uint64(1)).astype(np.float64)

    def colours(  # type: ignore[override]
        self, seeds: Words, tokens: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Whether more than half agree, and which."""
        draws = self.draws(seeds, tokens)
        return draws.mean(axis=1) > 0.5, draws

    def shares(self, seed: np.uint64, vocab_size: int) -> npt.NDArray[np.float32]:
        """The share of coins that agree, of each token of the vocabulary, (vocab_size,)."""
        both = agreeing(np.full(vocab_size, seed), np.arange(vocab_size, dtype=np.int64))
        return _COUNTS[both.astype(np.intp)] / np.float32(BITS)

    def add_bias(
        self, scores: torch.Tensor, seeds: Words, biases: Sequence[float], vocab_size: int
    ) -> torch.Tensor:
        """New scores (rows, width): ``biases[r]`` times the share of coins that agree."""
        import torch

        out = scores.clone()
        for row, (seed, bias) in enumerate(zip(seeds, biases, strict=True)):
            if bias:
                added = torch.from_numpy(bias * self.shares(seed, vocab_size))
                out[row, :vocab_size] += added.to(out.device, out.dtype)
        return out


_COUNTS = np.array([number.bit_count() for number in range(1 << BITS)], dtype=np.float32)


class BinomialParameters(EncoderParameters):
    """Bits."""

    @field_validator("bits")
    @classmethod
    def _whole(cls, bits: int) -> int:
        if bits != BITS:
            raise ValueError(f"give {BITS}")
        return bits


class BinomialBits(SeedEncoder[BinomialParameters]):
    """All bits of the message in each seed."""

    name = "multibit-binomial"
    Parameters = BinomialParameters

    def check(self, mark: stela.Hasher[Any]) -> None:
        """Refuse a mark that is not its :class:`BinomialHasher`."""
        require_mark(self, mark, BinomialHasher.name)

    def seeds(self, seeds: Words, message: int, key: int) -> Words:
        """Each with the message."""
        return np.asarray(seeds & ~HELD | np.uint64(message))

    def read(
        self,
        text: ScoredTokens,
    ) -> Message:
        """The majority of each bit's coins, or of those issued the message with which most agree."""
        mark, seeds, tokens, weights, groups, scorer = text
        first, stakes = stakes_of(weights, groups, scorer)
        ones = mark.draws(self.seeds(seeds, (1 << BITS) - 1, mark.key), tokens)
        excess = stakes @ (2 * ones[first] - 1)
        if self.messages is None:
            value = 0
            for one in excess.tolist():
                value = value << 1 | (one > 0)
        else:
            shifts = np.arange(BITS - 1, -1, -1, dtype=np.uint64)
            bits = (self.messages[:, None] >> shifts & np.uint64(1)).astype(np.float64)
            value = int(self.messages[int((bits @ excess).argmax())])
        agrees, coin = mark.draws(self.seeds(seeds, value, mark.key), tokens), stela.Bernoulli(0.5)
        signals = (stela.Signals(agrees[:, [n]], weights, groups, coin) for n in range(BITS))
        return message_of(value, BITS, [BITS * tail(each, scorer) for each in signals])
