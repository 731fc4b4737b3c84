"""The encoder: messages of 1 to 64 bits, read by trying every value of every symbol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationInfo, field_validator, model_validator

import stela_core as stela
from stela_payload.blocks import chosen_blocks
from stela_payload.choosing import best_of_codes, symbols_of_rows
from stela_payload.decoding import PART, WHOLE, Effort, best_codeword
from stela_payload.errors import Places, TailOf, error_of
from stela_payload.interface import MOST_ERROR, EncoderParameters, Message, ScoredTokens, SeedEncoder
from stela_payload.permutation import codes_of, message_of
from stela_payload.reed_solomon import (
    MOST_SYMBOLS,
    ReedSolomon,
    digits_of_bits,
    symbols_of_bits,
    usual_symbols,
)
from stela_payload.scores import Pairs, scores_of_parts, scores_of_values


class PayloadParameters(EncoderParameters):
    """Bits, how sure a message has to be, and the code that it is written in."""

    most_error: float = Field(MOST_ERROR, gt=0, lt=1)
    """Largest bound on the probability of a wrong message at which it is shown, else ``?``."""
    permutation: Literal["keyed"] = "keyed"
    """How messages become numbers, which are encoded (``permutation.py``)."""
    n: int = Field(0, ge=0, le=MOST_SYMBOLS)
    """Symbols of a codeword (``reed_solomon.py``): 1; 8 of 24 and 32 bits; 10 of more."""
    k: int = Field(0, ge=0, le=4)
    """Symbols that give all others: 1 of up to 16 bits, 2 of 24 and 32, 4 of more."""

    BEFORE: ClassVar[dict[str, Any]] = {"permutation": "none", "n": 0, "k": 0}
    """Longer messages were written in a ring of bytes; one of up to 16 bits is a symbol, then as now."""

    @model_validator(mode="before")
    @classmethod
    def _usual_code(cls, values: Any) -> Any:
        bits = values.get("bits") if isinstance(values, dict) else None
        if type(bits) is not int:
            return values
        usual = {"n": usual_symbols(bits), "k": digits_of_bits(bits)}
        ring = values.get("n") == 0 and values.get("k") == 0
        return {**values, **usual} if ring and usual["n"] == 1 else {**usual, **values}

    @field_validator("bits")
    @classmethod
    def _whole_bytes(cls, bits: int) -> int:
        if bits > 16 and bits % 8:
            raise ValueError("give 1 to 16, or a multiple of 8 up to 64")
        return bits

    @field_validator("n", "k")
    @classmethod
    def _known_code(cls, number: int, info: ValidationInfo) -> int:
        if number == 0:
            raise ValueError("messages in a ring of bytes are not read: make the profile anew")
        bits = info.data.get("bits", 0)
        least, most = symbols_of_bits(bits) if info.field_name == "n" else (digits_of_bits(bits),) * 2
        if bits and not least <= number <= most:
            raise ValueError(
                f"messages of {bits} bits have {least}" + (f" to {most}" if most > least else "")
            )
        return number


class Payload(SeedEncoder[PayloadParameters]):
    """Each token's seed holds a symbol of a message's codeword, of up to 16 bits (Reed and Solomon 1960)."""

    name = "payload"
    Parameters = PayloadParameters

    _codes: tuple[int, npt.NDArray[np.uint64]] | None = None
    """A key and the numbers of the issued messages under it, (c,): those of the last key."""

    @property
    def code(self) -> ReedSolomon:
        """Code that messages are written in."""
        return ReedSolomon(self.bits, self.parameters.n, self.parameters.k)

    def seeds(self, seeds: npt.NDArray[np.uint64], message: int, key: int) -> npt.NDArray[np.uint64]:
        """Each seed changed by the symbol of its block."""
        return self.seeds_of(seeds, np.array([message], dtype=np.uint64), key)

    def seeds_of(
        self, seeds: npt.NDArray[np.uint64], messages: npt.NDArray[np.uint64], key: int
    ) -> npt.NDArray[np.uint64]:
        """Each seed changed by the symbol of its block, of its message or of the only one."""
        from stela_payload.compiled import changed_seeds

        symbols = symbols_of_rows(messages.tobytes(), self.code, key)
        changed: npt.NDArray[np.uint64] = changed_seeds(seeds, symbols)
        return changed

    def read(
        self,
        text: ScoredTokens,
    ) -> Message:
        """The message whose tokens' signals sum to most, each pair weighed as the scorer does.

        It is withheld where a half of the text names another one: none is then the whole text's.
        """
        message = self._message(text, self.best(text))
        mixed = message.is_sure and self._half_names_another(text, message.value)
        return message.withheld() if mixed else message

    def _half_names_another(self, text: ScoredTokens, message: int) -> bool:
        middle = len(text.tokens) // 2
        for half in (text.part(0, middle), text.part(middle, len(text.tokens))):
            own = self._best_of(half, PART)
            if own != message and self.sure_of(half, own, times=2).is_sure:
                return True
        return False

    def best(
        self,
        text: ScoredTokens,
    ) -> int:
        """Number of the message that fits best, without bounds."""
        return self._best_of(text, WHOLE)

    def _best_of(self, text: ScoredTokens, effort: Effort) -> int:
        mark, seeds, tokens, weights, groups, scorer = text
        _, first, inverse, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        own = weights * scorer.shares(sizes)[inverse]
        stakes = np.bincount(inverse, weights=own, minlength=len(sizes)).astype(np.float64)
        pairs = self._pairs(seeds[first], tokens[first], stakes)
        return self._best(scores_of_values(mark, pairs, self._shape), mark.key, effort)

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
        read = {number: self._best(scores, mark.key, PART) for number, scores in of_parts}
        return [read[number] for number in range(len(parts))]

    @property
    def _shape(self) -> tuple[int, int]:
        return self.code.n, self.code.values

    def _pairs(
        self,
        seeds: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        stakes: npt.NDArray[np.float64],
    ) -> Pairs:
        return Pairs(seeds, tokens, stakes, chosen_blocks(seeds, self.code.n))

    def _best(self, scores: npt.NDArray[np.float32], key: int, effort: Effort) -> int:
        if self.messages is None:
            return message_of(best_codeword(scores, self.code, effort), self.bits, key)
        if self._codes is None or self._codes[0] != key:
            self._codes = key, codes_of(self.messages, self.bits, key)
        return message_of(best_of_codes(scores, self.code, self._codes[1]), self.bits, key)

    def sure_of(
        self,
        text: ScoredTokens,
        message: int,
        times: float,
    ) -> Message:
        """The message of a window, as of a whole text: bounds hold where several messages are there."""
        return self._message(text, message).corrected(times)

    def _message(self, text: ScoredTokens, value: int) -> Message:
        """The message with its bound; a part of a codeword says nothing of a digit: all have this bound."""
        signals = text.signals(self.seeds(text.seeds, value, text.mark.key))
        tail = tail_over(signals, chosen_blocks(text.seeds, self.code.n), text.scorer)
        error = error_of(tail, self.code, min(2.0**self.bits - 1, self.choices))
        errors = (error,) * ((self.bits + 3) // 4)
        return Message(value, self.bits, errors, error, self.parameters.most_error)


def tail_over(signals: stela.Signals, blocks: npt.NDArray[np.intp], scorer: stela.Scorer[Any]) -> TailOf:
    """The scorer's p-value over the tokens of some blocks; 1 where there are none."""

    def tail(places: Places) -> float:
        inside = (places >> blocks & 1).astype(bool)
        if not inside.any():
            return 1.0
        groups = np.unique(signals.groups[inside], return_inverse=True)[1].astype(np.int64)
        part = stela.Signals(signals.draws[inside], signals.weights[inside], groups, signals.law)
        return float(scorer.score_signals(part).p_value)

    return tail
