"""Marks that carry a message: the mark itself, with its seeds changed by an encoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition
from stela_core.errors import StelaError
from stela_core.insertion.row_keys import RowKeys, with_row_marks
from stela_core.interfaces import Encoder, Mark
from stela_core.interfaces.encoder import message_number, no_message

Messages = int | str | Sequence[int | str]
"""One message, or one for each row of a batch; a number, or its hex digits."""


class _Carrying(Mark[Any]):
    """What is put before a mark's class: its seeds carry a message."""

    _encoder: Encoder
    _message: int
    _plain: Mark[Any]

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Those of the mark, changed by the message."""
        return self._encoder.seeds(super().seeds(contexts), self._message, self.key)  # type: ignore[safe-super]

    def under(self, key: int) -> Any:
        """The same mark with the same message under another key."""
        return carrying(self._plain.under(key), self._encoder, self._message)

    def __reduce__(self) -> tuple[Any, ...]:
        return carrying, (self._plain, self._encoder, self._message)


_CLASSES: dict[type[Mark[Any]], type[_Carrying]] = {}
"""Of each class of marks, the one that carries messages."""


def _class_of(kind: type[Mark[Any]]) -> type[_Carrying]:
    if kind not in _CLASSES:
        named = {"name": kind.name, "__doc__": kind.__doc__}
        _CLASSES[kind] = type(kind.__name__, (_Carrying, kind), named)
    return _CLASSES[kind]


def carrying(mark: Mark[Any], encoder: Encoder, message: int) -> Mark[Any]:
    """The mark with a message in it."""
    made = _class_of(type(mark))(mark.parameters, mark.key)
    if mark._vocabulary is not None:
        made.bind(mark._vocabulary)
    made._plain, made._encoder, made._message = mark, encoder, message
    return made


def required_message(encoder: Encoder | None, message: int | str | None) -> int | None:
    """The message that a mark has to carry, as a number; ``None`` where it carries none.

    Raises:
        StelaError: the profile's marks carry none and there is one, or carry one and there is none; or it
            is not one of so many bits.
    """
    if encoder is None:
        if message is None:
            return None
        raise no_message()
    if message is None:
        raise StelaError(
            f"this profile's marks carry a message of {encoder.bits} bits, and there is none.",
            "give one: message=0x1f, or --message 1f",
        )
    return message_number(message, encoder.bits)


def with_message(composition: Composition, message: Messages | None) -> Composition:
    """The parts that mark with this message, or each row of a batch with its own.

    Raises:
        StelaError: as for :func:`required_message`; or rows have keys, and messages are more or fewer.
    """
    encoder, mark = composition.encoder, composition.hasher
    if encoder is None or message is None:
        required_message(encoder, 0 if message is not None else None)
        return composition
    given = [message] if isinstance(message, str) or not isinstance(message, Iterable) else list(message)
    numbers = [message_number(each, encoder.bits) for each in given]
    if not isinstance(mark, RowKeys):
        if given == [message]:
            return replace(composition, hasher=carrying(mark, encoder, numbers[0]), encoder=None)
        rows, alike = [mark] * len(numbers), mark
    else:
        rows, alike = mark.rows, mark.alike
        numbers = numbers * len(rows) if given == [message] else numbers
    if len(numbers) != len(rows):
        raise StelaError(
            f"{len(numbers)} messages for {len(rows)} keys.",
            "give one message for each row, in the same order",
        )
    pairs = [(id(row), number) for row, number in zip(rows, numbers, strict=True)]
    made = {pair: carrying(row, encoder, pair[1]) for pair, row in zip(pairs, rows, strict=True)}
    return with_carrying_rows(
        replace(composition, hasher=alike, encoder=None), [made[pair] for pair in pairs]
    )


def with_carrying_rows(composition: Composition, marks: Sequence[Mark[Any]]) -> Composition:
    """The same parts for rows of these marks, (rows,): where they differ in messages alone, in one pass."""
    first = marks[0] if marks else None
    if not isinstance(first, _Carrying):
        return with_row_marks(composition, marks)
    plain, encoder, carried = first._plain, first._encoder, []
    for mark in marks:
        if not isinstance(mark, _Carrying) or mark._plain is not plain:
            return with_row_marks(composition, marks)
        carried.append(mark._message)
    messages = np.array(carried, dtype=np.uint64)

    def seeds(rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        return encoder.seeds_of(plain.seeds_of(rows, contexts), messages[np.asarray(rows)], plain.key)

    return with_row_marks(composition, marks, seeds)
