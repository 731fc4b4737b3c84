"""The interface of encoders: a message of some bits to the seeds that carry it, and back from a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core import Encoder, Hasher, Parameters, Scorer, Signals, StelaError
from stela_core.api import parse_parameters
from stela_payload.carrying import RowSeeds, carrying, row_seeds

MOST_BITS = 64
"""Largest number of bits of a message."""

MOST_ERROR = 1e-4
"""Bound on the probability of a wrong digit up to which digits are shown, where nothing else is said."""


class EncoderParameters(Parameters):
    """What every encoder has."""

    bits: int = Field(ge=1, le=MOST_BITS)
    """Bits of a message."""


E_co = TypeVar("E_co", bound=EncoderParameters, default=EncoderParameters, covariant=True)
"""The class of an encoder's parameters."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a text's tokens say of the message in them."""

    value: int
    """The message that fits best, 0 <= value < 2**bits."""
    bits: int
    errors: tuple[float, ...]
    """Bounds on the probability of reading each hex digit wrongly, one each."""
    error: float
    """A bound on the probability of naming another message than the one in the text. It is that of a mark
    under this key: nobody else can have written one, unless they know the key."""
    most_error: float = MOST_ERROR
    """Bound up to which a digit is sure."""
    mixed: bool = False
    """Whether it is withheld because parts of the text name different messages."""

    @property
    def text(self) -> str:
        """Its hex digits; ``?`` for those that are not sure."""
        digits = zip(message_text(self.value, self.bits), self.errors, strict=True)
        return "".join(digit if error <= self.most_error else "?" for digit, error in digits)

    def corrected(self, times: float) -> Message:
        """The same where it is the best of several readings or keys: bounds are times their number."""
        errors = tuple(min(1.0, times * error) for error in self.errors)
        return replace(self, errors=errors, error=min(1.0, times * self.error))

    def withheld(self) -> Message:
        """The same with no digit shown: parts of the text name different messages."""
        return replace(self, errors=(1.0,) * len(self.errors), error=1.0, mixed=True)

    @property
    def is_sure(self) -> bool:
        """Whether all of it is read."""
        return "?" not in self.text

    def to_dict(self) -> dict[str, Any]:
        """What ``stela detect --json`` prints."""
        said = {"hex": self.text, "bits": self.bits, "sure": self.is_sure, "error": self.error}
        return said | ({"mixed": True} if self.mixed else {})


class ScoredTokens(NamedTuple):
    """What an encoder reads: n scored tokens of a text, or of a part of one."""

    mark: Hasher[Any]
    """Mark with its key."""
    seeds: npt.NDArray[np.uint64]
    """The mark's own, without a message, (n,)."""
    tokens: npt.NDArray[np.int64]
    """Ids, (n,)."""
    weights: npt.NDArray[np.float64]
    """Weights of the tokens, (n,)."""
    groups: npt.NDArray[np.int64]
    """Numbers of (seed, token) pairs, (n,): tokens of one are one draw."""
    scorer: Scorer[Any]
    """Scorer that gives the p-values by which errors are bounded."""

    def part(self, start: int, end: int) -> ScoredTokens:
        """Tokens ``start .. end - 1``, with groups numbered anew."""
        at = slice(start, end)
        groups = np.unique(self.groups[at], return_inverse=True)[1].reshape(-1).astype(np.int64)
        return ScoredTokens(self.mark, self.seeds[at], self.tokens[at], self.weights[at], groups, self.scorer)

    def signals(self, seeds: npt.NDArray[np.uint64]) -> Signals:
        """What the scorer is given where these seeds, (n,), drew."""
        draws = self.mark.draws(seeds, self.tokens)
        return Signals(draws, self.weights, self.groups, self.mark.law)


class SeedEncoder(Encoder, Generic[E_co]):
    """Let a mark carry a message: each seed is changed by some of the message's bits.

    A seed changed by the wrong bits is as good as one of another key: draws under it are those of unmarked
    text. All that is said of errors rests on that.

    Copy me::

        class Whole(SeedEncoder):
            name = "whole"

            def seeds(self, seeds, message, key):
                return remixed(seeds, message)

            def read(self, text):
                ...
                return Message(value, self.bits, errors, error)
    """

    parameters: E_co

    Parameters: ClassVar[type[EncoderParameters]] = EncoderParameters

    def __init__(self, parameters: E_co) -> None:
        self.parameters = parameters
        self.messages: npt.NDArray[np.uint64] | None = None
        """The messages that there are, (n,) sorted; ``None`` where all are possible."""

    @classmethod
    def of_profile(cls, bits: int, parameters: Mapping[str, Any] | None, mark: Hasher[Any]) -> Self:
        """The encoder that a profile names for a mark; ``None`` for a new one with the parameters by default.

        Raises:
            StelaError: the bits or a parameter are wrong, or the mark can carry no message.
        """
        made, owner = cls.Parameters, f'encoder "{cls.name}"'
        if parameters is None:
            if not 1 <= bits <= MOST_BITS:
                raise StelaError(f"{bits} bits are not a message.", f"give 1 to {MOST_BITS}")
            parameters = parse_parameters(made, {"bits": bits}, owner).model_dump(exclude={"bits"})
        values = {**made.of_before(), **parameters, "bits": bits}
        encoder = cls(parse_parameters(made, values, owner, read=True))  # type: ignore[arg-type]
        encoder.check(mark)
        return encoder

    @property
    def bits(self) -> int:
        """Bits of a message."""
        return self.parameters.bits

    @property
    def choices(self) -> float:
        """How many messages are told from each other: p-values of the best one are times their number."""
        return 2.0**self.bits if self.messages is None else float(len(self.messages))

    def among(self, messages: Sequence[int | str]) -> Self:
        """The same where only these messages were issued.

        Raises:
            StelaError: there is none, or one is not a message of this number of bits.
        """
        if not len(messages):
            raise StelaError("there is no message to look for.", "give at least one")
        other = type(self)(self.parameters)
        numbers = [each for each in messages if type(each) is int]
        if len(numbers) < len(messages) or min(numbers) < 0 or max(numbers) >> self.bits:
            numbers = [self.number_of(each, self.bits) for each in messages]
        other.messages = np.unique(np.array(numbers, dtype=np.uint64))
        return other

    def check(self, mark: Hasher[Any]) -> None:
        """Find out whether the mark can carry a message: a context gives it one seed of one word.

        Raises:
            StelaError: it cannot.
        """
        if mark.seed_words != 1 or mark.context_width < 1:
            raise StelaError(
                f'hasher "{mark.name}" with context width {mark.context_width} carries no message.',
                "take another scheme, or a context width of at least 1",
            )

    def required(self, message: int | str | None) -> int:
        """The message that a mark has to carry, as a number.

        Raises:
            StelaError: there is none, or it is not one of this number of bits.
        """
        if message is None:
            raise StelaError(
                f"this profile's marks carry a message of {self.bits} bits, and there is none.",
                "give one: message=0x1f, or --message 1f",
            )
        return self.number_of(message, self.bits)

    def carrying(self, mark: Hasher[Any], message: int) -> Hasher[Any]:
        """The mark with a message in it."""
        return carrying(mark, self, message)

    def row_seeds(self, marks: Sequence[Hasher[Any]]) -> RowSeeds | None:
        """The seeds of rows with these marks in one pass, where they differ only in messages."""
        return row_seeds(marks, self.seeds_of)

    def scored(self, *tokens: Any) -> ScoredTokens:
        """What :meth:`read` takes; arguments as for :class:`ScoredTokens`."""
        return ScoredTokens(*tokens)

    @abstractmethod
    def seeds(self, seeds: npt.NDArray[np.uint64], message: int, key: int) -> npt.NDArray[np.uint64]:
        """The seeds (n,) that carry the message, of the mark's own, (n,), under its key."""

    def seeds_of(
        self, seeds: npt.NDArray[np.uint64], messages: npt.NDArray[np.uint64], key: int
    ) -> npt.NDArray[np.uint64]:
        """The seeds (n,) that carry a message each, (n,). By default one by one."""
        pairs = zip(seeds, messages.tolist(), strict=True)
        return np.array([self.seeds(seed[None], message, key)[0] for seed, message in pairs], dtype=np.uint64)

    @abstractmethod
    def read(
        self,
        text: ScoredTokens,
    ) -> Message:
        """The message that a text carries, and how sure of it one may be."""

    def best(
        self,
        text: ScoredTokens,
    ) -> int:
        """The value that :meth:`read` finds; override it where that takes less without errors."""
        return self.read(text).value

    def best_of_parts(
        self,
        text: ScoredTokens,
        parts: Sequence[tuple[int, int]],
    ) -> list[int]:
        """:meth:`best` of tokens ``start .. end - 1``, for each of these parts of a text.

        They are where messages are looked for: an override may be roughly right.
        """
        return [self.best(text.part(start, end)) for start, end in parts]

    def sure_of(
        self,
        text: ScoredTokens,
        message: int,
        times: float,
    ) -> Message | None:
        """What is sure of a message, chosen in any way, in tokens that may hold several.

        Args:
            text: the tokens.
            message: what may be named.
            times: what bounds are multiplied by.

        Returns:
            Its bounds, or ``None``, the default: passages then name no message.
        """
        return None


def message_text(message: int, bits: int) -> str:
    """A message's hex digits, as many as the bits need."""
    return f"{message:0{(bits + 3) // 4}x}"
