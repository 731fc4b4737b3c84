"""The encoder: messages of 1 to 64 bits, read by trying every value of every block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

import stela_core as stela
from stela_payload.blocks import (
    BLOCK_BITS,
    BYTE,
    blocks_of_bits,
    chosen_blocks,
    values_of_block,
)
from stela_payload.choosing import best_code, best_of_codes, values_of_rows
from stela_payload.errors import TailOf, error_of
from stela_payload.interface import MOST_ERROR, EncoderParameters, Message, ScoredTokens, SeedEncoder
from stela_payload.permutation import codes_of, message_of
from stela_payload.scores import Pairs, scores_of_parts, scores_of_values
from stela_payload.several import error_among_several


class PayloadParameters(EncoderParameters):
    """Bits, how sure a message has to be, and how it is permuted."""

    most_error: float = Field(MOST_ERROR, gt=0, lt=1)
    """Largest bound on the probability of a wrong message at which it is shown, else ``?``."""
    permutation: Literal["keyed"] = "keyed"
    """How messages become codes (``permutation.py``)."""

    BEFORE: ClassVar[dict[str, Any]] = {"permutation": "none"}

    @field_validator("bits")
    @classmethod
    def _whole_bytes(cls, bits: int) -> int:
        if bits > BLOCK_BITS and bits % BYTE:
            raise ValueError("give 1 to 16, or a multiple of 8 up to 64")
        return bits


class Payload(SeedEncoder[PayloadParameters]):
    """Each token's seed holds up to 16 bits of a message's code; each byte of a long one is in two blocks."""

    name = "payload"
    Parameters = PayloadParameters

    _codes: tuple[int, npt.NDArray[np.uint64]] | None = None
    """A key and the codes of the issued messages under it, (n,): those of the last key."""

    def seeds(self, seeds: npt.NDArray[np.uint64], message: int, key: int) -> npt.NDArray[np.uint64]:
        """Each seed changed by the value of its block."""
        return self.seeds_of(seeds, np.array([message], dtype=np.uint64), key)

    def seeds_of(
        self, seeds: npt.NDArray[np.uint64], messages: npt.NDArray[np.uint64], key: int
    ) -> npt.NDArray[np.uint64]:
        """Each seed changed by the value of its block of its message, or of the only one."""
        from stela_payload.compiled import changed_seeds

        values = values_of_rows(messages.tobytes(), self.bits, key)
        changed: npt.NDArray[np.uint64] = changed_seeds(seeds, values)
        return changed

    def read(
        self,
        text: ScoredTokens,
    ) -> Message:
        """The message whose tokens' signals sum to most, each pair weighed as the scorer does.

        It is withheld where a half of the text names another one: none is then the whole text's.
        """
        value = self.best(text)
        message = self._message(value, self._tail(text, value))
        mixed = message.is_sure and self._half_names_another(text, value)
        return message.withheld() if mixed else message

    def _half_names_another(self, text: ScoredTokens, message: int) -> bool:
        middle = len(text.tokens) // 2
        for half in (text.part(0, middle), text.part(middle, len(text.tokens))):
            own = self.best(half)
            if own != message and self.sure_of(half, own, times=2).is_sure:
                return True
        return False

    def best(
        self,
        text: ScoredTokens,
    ) -> int:
        """Its number alone."""
        mark, seeds, tokens, weights, groups, scorer = text
        _, first, inverse, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        own = weights * scorer.shares(sizes)[inverse]
        stakes = np.bincount(inverse, weights=own, minlength=len(sizes)).astype(np.float64)
        return self._best(
            scores_of_values(mark, self._pairs(seeds[first], tokens[first], stakes), self._shape), mark.key
        )

    def best_of_parts(
        self,
        text: ScoredTokens,
        parts: Sequence[tuple[int, int]],
    ) -> list[int]:
        """All from one pass over the text; a repeated pair weighs in each part as it does in the text."""
        mark, seeds, tokens, weights, groups, scorer = text
        _, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        pairs = self._pairs(seeds, tokens, weights * scorer.shares(sizes)[inverse])
        of_parts = scores_of_parts(mark, pairs, self._shape, parts)
        read = {number: self._best(scores, mark.key) for number, scores in of_parts}
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

    def _best(self, scores: npt.NDArray[np.float32], key: int) -> int:
        if self.messages is None:
            return message_of(best_code(scores, self.bits), self.bits, key)
        if self._codes is None or self._codes[0] != key:
            self._codes = key, codes_of(self.messages, self.bits, key)
        return message_of(best_of_codes(scores, self.bits, self._codes[1]), self.bits, key)

    def sure_of(
        self,
        text: ScoredTokens,
        message: int,
        times: float,
    ) -> Message:
        """Of a short message as for :meth:`read`, whatever else is there; of a long one by ``several.py``."""
        return self._message(message, self._tail(text, message), several=True).corrected(times)

    def _tail(
        self,
        text: ScoredTokens,
        message: int,
    ) -> TailOf:
        signals = text.signals(self.seeds(text.seeds, message, text.mark.key))
        return tail_over(signals, chosen_blocks(text.seeds, blocks_of_bits(self.bits)), text.scorer)

    def _message(self, value: int, tail: TailOf, several: bool = False) -> Message:
        """The message with its bound; a part of a code says nothing of a digit, so all have this bound."""
        issued = None if self.messages is None else len(self.messages)
        count = blocks_of_bits(self.bits)
        if count == 1:
            others = 2.0**self.bits - 1
            error = min(1.0, (others if issued is None else min(others, issued)) * tail(1))
        else:
            error = (error_among_several if several else error_of)(tail, count, issued)
        errors = (error,) * ((self.bits + 3) // 4)
        return Message(value, self.bits, errors, error, self.parameters.most_error)


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
