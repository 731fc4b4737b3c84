"""Encoder: a message of some bits to the seeds that carry it, and back from a text."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import TypeVar

from stela_core.errors import StelaError
from stela_core.interfaces.component import Component
from stela_core.interfaces.scorer import Signals
from stela_core.parameters import Parameters

if TYPE_CHECKING:
    from stela_core.interfaces.mark import Mark
    from stela_core.interfaces.scorer import Scorer

MOST_BITS = 64
"""Of a message."""

MOST_ERROR = 1e-4
"""Bound on the probability of a wrong digit up to which digits are shown, where nothing else is said."""


class EncoderParameters(Parameters):
    """What every encoder has."""

    bits: int = Field(ge=1, le=MOST_BITS)
    """Of a message."""


E_co = TypeVar("E_co", bound=EncoderParameters, default=EncoderParameters, covariant=True)
"""The class of an encoder's parameters."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a text's tokens say of the message in them."""

    value: int
    """The message that fits best, 0 <= value < 2**bits."""
    bits: int
    errors: tuple[float, ...]
    """For each hex digit, a bound on the probability of reading it wrongly."""
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

    mark: Mark[Any]
    """With its key."""
    seeds: npt.NDArray[np.uint64]
    """The mark's own, without a message, (n,)."""
    tokens: npt.NDArray[np.int64]
    """Ids, (n,)."""
    weights: npt.NDArray[np.float64]
    """Of the tokens, (n,)."""
    groups: npt.NDArray[np.int64]
    """Numbers of (seed, token) pairs, (n,): tokens of one are one draw."""
    scorer: Scorer[Any]
    """Gives the p-values that errors are bounded by."""

    def part(self, start: int, end: int) -> ScoredTokens:
        """Tokens ``start .. end - 1``, with groups numbered anew."""
        at = slice(start, end)
        groups = np.unique(self.groups[at], return_inverse=True)[1].reshape(-1).astype(np.int64)
        return ScoredTokens(self.mark, self.seeds[at], self.tokens[at], self.weights[at], groups, self.scorer)

    def signals(self, seeds: npt.NDArray[np.uint64]) -> Signals:
        """What the scorer is given where these seeds, (n,), drew."""
        draws = self.mark.draws(seeds, self.tokens)
        return Signals(draws, self.weights, self.groups, self.mark.law)


class Encoder(Component, Generic[E_co]):
    """Let a mark carry a message: each seed is changed by some of the message's bits.

    A seed changed by the wrong bits is as good as one of another key: draws under it are those of unmarked
    text. All that is said of errors rests on that.

    Copy me::

        class Whole(stela.Encoder):
            name = "whole"

            def seeds(self, seeds, message, key):
                return remixed(seeds, message)

            def read(self, text):
                ...
                return stela.Message(value, self.bits, errors, error)
    """

    kind = "encoder"
    hook = "stela_register_encoders"

    Parameters: ClassVar[type[EncoderParameters]] = EncoderParameters

    def __init__(self, parameters: E_co) -> None:
        self.parameters = parameters
        self.messages: npt.NDArray[np.uint64] | None = None
        """The messages that there are, (n,) sorted; ``None`` where all are possible."""

    @property
    def bits(self) -> int:
        """Of a message."""
        return self.parameters.bits

    @property
    def choices(self) -> float:
        """How many messages are told from each other: p-values of the best one are times their number."""
        return 2.0**self.bits if self.messages is None else float(len(self.messages))

    def among(self, messages: Sequence[int | str]) -> Self:
        """The same where only these messages were issued.

        Raises:
            StelaError: there is none, or one is no message of so many bits.
        """
        if not len(messages):
            raise StelaError("there is no message to look for.", "give at least one")
        other = type(self)(self.parameters)
        numbers = [each for each in messages if type(each) is int]
        if len(numbers) < len(messages) or min(numbers) < 0 or max(numbers) >> self.bits:
            numbers = [message_number(each, self.bits) for each in messages]
        other.messages = np.unique(np.array(numbers, dtype=np.uint64))
        return other

    def check(self, mark: Mark[Any]) -> None:
        """Find out whether the mark can carry a message: a context gives it one seed of one word.

        Raises:
            StelaError: it cannot.
        """
        if mark.seed_words != 1 or mark.context_width < 1:
            raise StelaError(
                f'hasher "{mark.name}" with context width {mark.context_width} carries no message.',
                "take another scheme, or a context width of at least 1",
            )

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


_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")


def message_number(message: int | str, bits: int) -> int:
    """A message as a number: an integer, or hex digits.

    Raises:
        StelaError: it is neither, or it has more bits.
    """
    if isinstance(message, str) and _HEX.fullmatch(message.strip()):
        message = int(message, 16)
    if isinstance(message, bool) or not isinstance(message, int | np.integer):
        raise StelaError(f"message {message!r} is no number.", "write it in hex digits, such as 1f")
    if not 0 <= int(message) < 1 << bits:
        raise StelaError(
            f"message {int(message):x} is not one of {bits} bits.", f"give at most {(1 << bits) - 1:x}"
        )
    return int(message)


def message_text(message: int, bits: int) -> str:
    """Its hex digits, as many as the bits need."""
    return f"{message:0{(bits + 3) // 4}x}"


def no_message() -> StelaError:
    """Where one is given to, or looked for in, marks that carry none."""
    return StelaError(
        "this profile's marks carry no message.", "make one with stela profile new --bits 32, or give none"
    )
