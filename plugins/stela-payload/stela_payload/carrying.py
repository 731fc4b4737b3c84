"""Marks that carry a message: the mark itself, with its seeds changed by an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core import Encoder, Hasher

RowSeeds = Callable[[Sequence[int], "npt.NDArray[np.int64]"], "npt.NDArray[np.uint64]"]
"""Rows of a batch, (n,), and their contexts, (n, context_width), to seeds, (n,)."""

SeedsOf = Callable[["npt.NDArray[np.uint64]", "npt.NDArray[np.uint64]", int], "npt.NDArray[np.uint64]"]
"""Seeds, (n,), a message for each, (n,), and a key, to seeds."""


class _Carrying(Hasher[Any]):
    """What is put before a mark's class: its seeds carry a message."""

    _encoder: Encoder
    _message: int
    _plain: Hasher[Any]

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds of the mark, changed by the message."""
        return self._encoder.seeds(super().seeds(contexts), self._message, self.key)  # type: ignore[safe-super]

    def under(self, key: int) -> Any:
        """The same mark with the same message under another key."""
        return carrying(self._plain.under(key), self._encoder, self._message)

    def __reduce__(self) -> tuple[Any, ...]:
        return carrying, (self._plain, self._encoder, self._message)


_CLASSES: dict[type[Hasher[Any]], type[_Carrying]] = {}
"""Class that carries messages, for each class of marks."""


def _class_of(kind: type[Hasher[Any]]) -> type[_Carrying]:
    if kind not in _CLASSES:
        named = {"name": kind.name, "__doc__": kind.__doc__}
        _CLASSES[kind] = type(kind.__name__, (_Carrying, kind), named)
    return _CLASSES[kind]


def carrying(mark: Hasher[Any], encoder: Encoder, message: int) -> Hasher[Any]:
    """The mark with a message in it."""
    made = _class_of(type(mark))(mark.parameters, mark.key)
    if mark._vocabulary is not None:
        made.bind(mark._vocabulary)
    made._plain, made._encoder, made._message = mark, encoder, message
    return made


def row_seeds(marks: Sequence[Hasher[Any]], seeds_of: SeedsOf) -> RowSeeds | None:
    """The seeds of rows with these marks, (rows,), in one pass; ``None`` where more than messages differ.

    Args:
        marks: of the rows.
        seeds_of: as :meth:`.SeedEncoder.seeds_of`.
    """
    first = marks[0] if marks else None
    if not isinstance(first, _Carrying):
        return None
    plain, carried = first._plain, []
    for mark in marks:
        if not isinstance(mark, _Carrying) or mark._plain is not plain:
            return None
        carried.append(mark._message)
    messages = np.array(carried, dtype=np.uint64)

    def seeds(rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        own = plain.seeds_of(rows, contexts)
        return seeds_of(own, messages[np.asarray(rows)], plain.key)

    return seeds
