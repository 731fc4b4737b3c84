"""Columns of plain values as pyarrow has them, made of buffers.

``pyarrow.array`` of a list imports pandas where it is installed, which is a seventh of a run of two texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def column(values: Sequence[Any], kind: str | None = None) -> Any:
    """An array of values, each of which may be ``None``, (n,).

    Args:
        values: texts, truth values, or numbers.
        kind: ``str``, ``bool``, ``int`` or ``float``; by default what the values are, ``float`` where numbers
            are of both kinds. What UTF-8 cannot hold is written as an escape.

    Returns:
        a ``pyarrow.Array``; one of nulls where there is no value and no kind.

    Raises:
        TypeError: a value is something else, or there are several kinds.
    """
    import pyarrow

    kind = kind or _kind_of(values)
    if kind is None:
        return pyarrow.nulls(len(values))
    known = np.array([value is not None for value in values], dtype=np.bool_)
    valid = None if known.all() else _buffer(np.packbits(known, bitorder="little"))
    nulls = len(known) - int(known.sum())
    if kind == "str":
        cells = [b"" if value is None else value.encode("utf-8", "backslashreplace") for value in values]
        ends = np.cumsum([0, *map(len, cells)], dtype=np.int64)
        if ends[-1] > np.iinfo(np.int32).max:
            raise OverflowError("a column of texts holds 2 GiB at most")
        buffers = [valid, _buffer(ends.astype(np.int32)), pyarrow.py_buffer(b"".join(cells))]
        return pyarrow.Array.from_buffers(pyarrow.string(), len(values), buffers, nulls)
    numbers = [0 if value is None else value for value in values]
    if kind == "bool":
        data = np.packbits(np.array(numbers, dtype=np.bool_), bitorder="little")
        return pyarrow.Array.from_buffers(pyarrow.bool_(), len(values), [valid, _buffer(data)], nulls)
    data = np.array(numbers, dtype=np.int64 if kind == "int" else np.float64)
    of = pyarrow.int64() if kind == "int" else pyarrow.float64()
    return pyarrow.Array.from_buffers(of, len(values), [valid, _buffer(data)], nulls)


def numbers_of(array: Any) -> npt.NDArray[np.float64]:
    """The numbers of a ``pyarrow.Array``, (n,), NaN for null."""
    filled = array.cast("float64").fill_null(column([np.nan])[0])
    numbers: npt.NDArray[np.float64] = np.from_dlpack(filled).astype(np.float64, copy=False)
    return numbers


def _buffer(data: npt.NDArray[Any]) -> Any:
    import pyarrow

    return pyarrow.py_buffer(np.ascontiguousarray(data))


def _kind_of(values: Sequence[Any]) -> str | None:
    kinds = {type(value).__name__ for value in values if value is not None}
    if kinds == {"int", "float"}:
        return "float"
    if len(kinds) > 1 or not kinds <= {"str", "bool", "int", "float"}:
        raise TypeError(f"a column holds {' and '.join(sorted(kinds))}")
    return next(iter(kinds), None)
