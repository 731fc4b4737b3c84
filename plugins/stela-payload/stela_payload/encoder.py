"""The encoder: messages of 1 to 64 bits, read by trying every value of every block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

import stela_core as stela
from stela_core.api import MOST_ERROR
from stela_payload.blocks import (
    BLOCK_BITS,
    BYTE,
    blocks_of_bits,
    chosen_blocks,
    values_of_block,
)
from stela_payload.choosing import best_message, best_of_messages, values_of_rows
from stela_payload.errors import TailOf, byte_errors
from stela_payload.scores import Pairs, scores_of_parts, scores_of_values
from stela_payload.several import shown_bytes


class PayloadParameters(stela.EncoderParameters):
    """Bits, and how sure a digit has to be."""

    most_error: float = Field(MOST_ERROR, gt=0, lt=1)
    """Largest bound on the probability of a wrong digit at which digits are shown, else ``?``."""

    @field_validator("bits")
    @classmethod
    def _whole_bytes(cls, bits: int) -> int:
        if bits > BLOCK_BITS and bits % BYTE:
            raise ValueError("give 1 to 16, or a multiple of 8 up to 64")
        return bits


class Payload(stela.Encoder[PayloadParameters]):
    """Each token's seed holds up to 16 bits of the message; each byte of a long one is in two blocks."""

    name = "payload"
    Parameters = PayloadParameters

    def seeds(self, seeds: npt.NDArray[np.uint64], message: int) -> npt.NDArray[np.uint64]:
        """Each seed changed by the value of its block."""
        return self.seeds_of(seeds, np.array([message], dtype=np.uint64))

    def seeds_of(
        self, seeds: npt.NDArray[np.uint64], messages: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.uint64]:
        """Each seed changed by the value of its block of its message, or of the only one."""
        from stela_payload.compiled import changed_seeds

        changed: npt.NDArray[np.uint64] = changed_seeds(seeds, values_of_rows(messages.tobytes(), self.bits))
        return changed

    def read(
        self,
        text: stela.ScoredTokens,
    ) -> stela.Message:
        """The message whose tokens' signals sum to most, each pair weighed as the scorer does."""
        value = self.best(text)
        return self._message(value, self._tail(text, value))

    def best(
        self,
        text: stela.ScoredTokens,
    ) -> int:
        """Its number alone."""
        mark, seeds, tokens, weights, groups, scorer = text
        _, first, inverse, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        own = weights * scorer.shares(sizes)[inverse]
        stakes = np.bincount(inverse, weights=own, minlength=len(sizes)).astype(np.float64)
        return self._best(
            scores_of_values(mark, self._pairs(seeds[first], tokens[first], stakes), self._shape)
        )

    def best_of_parts(
        self,
        text: stela.ScoredTokens,
        parts: Sequence[tuple[int, int]],
    ) -> list[int]:
        """All from one pass over the text; a repeated pair weighs in each part as it does in the text."""
        mark, seeds, tokens, weights, groups, scorer = text
        _, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        pairs = self._pairs(seeds, tokens, weights * scorer.shares(sizes)[inverse])
        of_parts = scores_of_parts(mark, pairs, self._shape, parts)
        read = {number: self._best(scores) for number, scores in of_parts}
        return [read[number] for number in range(len(parts))]

    @property
    def _shape(self) -> tuple[int, int]:
        return blocks_of_bits(self.bits), values_of_block(self.bits)

    def _pairs(
        self,
        seeds: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        stakes: npt.NDArray[np.float64],
    ) -> Pairs:
        return Pairs(seeds, tokens, stakes, chosen_blocks(seeds, self._shape[0]))

    def _best(self, scores: npt.NDArray[np.float32]) -> int:
        if self.messages is None:
            return best_message(scores, self.bits)
        return best_of_messages(scores, self.bits, self.messages)

    def sure_of(
        self,
        text: stela.ScoredTokens,
        message: int,
        times: float,
    ) -> stela.Message:
        """Of a short message as for :meth:`read`, whatever else is there; of a long one by ``several.py``."""
        count, most = blocks_of_bits(self.bits), self.parameters.most_error
        tail = self._tail(text, message)
        if count == 1:
            return self._message(message, tail).corrected(times)
        issued = None if self.messages is None else len(self.messages)
        shown, bound = shown_bytes(tail, count, most, times, issued)
        errors = [bound if shown >> byte & 1 else 1.0 for byte in range(count) for _ in range(2)]
        return stela.Message(message, self.bits, tuple(errors), max(errors), most)

    def _tail(
        self,
        text: stela.ScoredTokens,
        message: int,
    ) -> TailOf:
        signals = text.signals(self.seeds(text.seeds, message))
        return tail_over(signals, chosen_blocks(text.seeds, blocks_of_bits(self.bits)), text.scorer)

    def _message(self, value: int, tail: TailOf) -> stela.Message:
        most, issued = self.parameters.most_error, None if self.messages is None else len(self.messages)
        digits, count = (self.bits + 3) // 4, blocks_of_bits(self.bits)
        if count == 1:
            others = 2.0**self.bits - 1
            error = min(1.0, (others if issued is None else min(others, issued)) * tail(1))
            return stela.Message(value, self.bits, (error,) * digits, error, most)
        of_bytes, error = byte_errors(tail, count, issued)
        errors = tuple(each for each in of_bytes for _ in range(2))
        if max(errors) <= most < error:  # bytes of two messages, each of them sure
            errors = (error,) * digits
        return stela.Message(value, self.bits, errors, error, most)


def tail_over(signals: stela.Signals, blocks: npt.NDArray[np.intp], scorer: stela.Scorer[Any]) -> TailOf:
    """The scorer's p-value over the tokens of some blocks; 1 where there are none."""

    def tail(chosen: int) -> float:
        inside = (chosen >> blocks & 1).astype(bool)
        if not inside.any():
            return 1.0
        groups = np.unique(signals.groups[inside], return_inverse=True)[1].astype(np.int64)
        part = stela.Signals(signals.draws[inside], signals.weights[inside], groups, signals.law)
        return scorer.score_signals(part).p_value

    return tail
