"""Encoder: what the core asks of whoever lets marks carry messages. A plugin brings the hook and the rest."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.interfaces.component import Component
from stela_core.parameters import Parameters

if TYPE_CHECKING:
    from stela_core.interfaces.hasher import Hasher
    from stela_core.interfaces.scorer import Scorer

Messages = int | str | Sequence[int | str]
"""One message, or one for each row of a batch; a number, or its hex digits."""

RowSeeds = Callable[[Sequence[int], "npt.NDArray[np.int64]"], "npt.NDArray[np.uint64]"]
"""Rows of a batch, (n,), and their contexts, (n, context_width), to seeds, (n,)."""


_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")


class Message(Protocol):
    """What a text's tokens say of the message in them."""

    @property
    def value(self) -> int:
        """The message that fits best, 0 <= value < 2**bits."""

    @property
    def bits(self) -> int:
        """Bits of the message."""

    @property
    def errors(self) -> tuple[float, ...]:
        """Bounds on the probability of reading each hex digit wrongly, one each."""

    @property
    def error(self) -> float:
        """A bound on the probability of naming another message than the one in the text."""

    @property
    def mixed(self) -> bool:
        """Whether it is withheld because parts of the text name different messages."""

    @property
    def text(self) -> str:
        """Its hex digits; ``?`` for those that are not sure."""

    @property
    def is_sure(self) -> bool:
        """Whether all of it is read."""

    def corrected(self, times: float) -> Message:
        """The same with bounds that are times a number of readings or keys."""

    def withheld(self) -> Message:
        """The same with no digit shown."""

    def to_dict(self) -> dict[str, Any]:
        """What ``stela detect --json`` prints."""


class Encoder(Component):
    """Lets a mark carry a message. The plugin that brings the hook has the class to derive from."""

    kind = "encoder"
    hook = "stela_register_encoders"

    parameters: Parameters

    @property
    @abstractmethod
    def bits(self) -> int:
        """Bits of a message."""

    @property
    @abstractmethod
    def choices(self) -> float:
        """How many messages are told from each other: p-values of the best one are times their number."""

    @staticmethod
    def missing() -> StelaError:
        """The error where a message is given to, or looked for in, marks that carry none."""
        return StelaError(
            "this profile's marks carry no message.",
            "make one with stela profile new --bits 32, or give none",
        )

    @staticmethod
    def number_of(message: int | str, bits: int) -> int:
        """A message as a number: an integer, or hex digits.

        Raises:
            StelaError: it is neither, or it has more bits.
        """
        if isinstance(message, str) and _HEX.fullmatch(message.strip()):
            message = int(message, 16)
        if isinstance(message, bool) or not isinstance(message, int | np.integer):
            raise StelaError(f"message {message!r} is not a number.", "write it in hex digits, such as 1f")
        if not 0 <= int(message) < 1 << bits:
            raise StelaError(
                f"message {int(message):x} is not one of {bits} bits.", f"give at most {(1 << bits) - 1:x}"
            )
        return int(message)

    @classmethod
    @abstractmethod
    def of_profile(cls, bits: int, parameters: Mapping[str, Any] | None, mark: Hasher[Any]) -> Self:
        """The encoder that a profile names for a mark; ``None`` for a new one with the parameters by default.

        Raises:
            StelaError: the bits or a parameter are wrong, or the mark can carry no message.
        """

    @abstractmethod
    def among(self, messages: Sequence[int | str]) -> Self:
        """The same where only these messages were issued.

        Raises:
            StelaError: there is none, or one is not a message of this number of bits.
        """

    @abstractmethod
    def required(self, message: int | str | None) -> int:
        """The message that a mark has to carry, as a number.

        Raises:
            StelaError: there is none, or it is not one of this number of bits.
        """

    @abstractmethod
    def carrying(self, mark: Hasher[Any], message: int) -> Hasher[Any]:
        """The mark with a message in it."""

    @abstractmethod
    def row_seeds(self, marks: Sequence[Hasher[Any]]) -> RowSeeds | None:
        """The seeds of rows with these marks in one pass, (rows,); ``None`` where there is no such way."""

    @abstractmethod
    def seeds(self, seeds: npt.NDArray[np.uint64], message: int, key: int) -> npt.NDArray[np.uint64]:
        """The seeds (n,) that carry the message, of the mark's own, (n,), under its key."""

    @abstractmethod
    def scored(
        self,
        mark: Hasher[Any],
        seeds: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
        groups: npt.NDArray[np.int64],
        scorer: Scorer[Any],
    ) -> Any:
        """What :meth:`read` takes, of n scored tokens of a text."""

    @abstractmethod
    def read(self, text: Any) -> Message:
        """The message that a text carries, and how sure of it one may be."""
