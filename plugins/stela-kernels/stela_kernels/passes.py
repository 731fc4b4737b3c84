"""What compiled passes over logits share: numba's compiler, and memory for what they write."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
import numpy.typing as npt

from stela_core.api import timed

log = logging.getLogger(__name__)

Array = npt.NDArray[Any]

MOST = 2
"""``generate`` still holds the last step's scores while the next are made: two take turns."""


class Buffer:
    """Memory of one array, lent to one caller at a time."""

    def __init__(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        self.shape = shape
        self._memory = np.empty(shape, dtype=dtype).data
        self._lent: ReferenceType[Array] | None = None

    def is_free(self) -> bool:
        """Whether nothing refers to the array that was lent last."""
        return self._lent is None or self._lent() is None

    def lend(self) -> Array:
        """The memory as a new array, which whatever shares it keeps alive: numpy makes it the base of its
        views, and ``torch.from_numpy`` has a tensor's storage hold a reference to it.
        """
        array = np.asarray(self._memory)
        self._lent = ref(array)
        return array


class Buffers:
    """Arrays of one type and of one shape at a time, handed out only while nothing refers to them.

    A fresh array of 20 MB costs a page fault for every 4 KB of it, several times the pass that fills it. The
    memory may be used again as soon as the caller has let go of the last output.
    """

    def __init__(self, dtype: npt.DTypeLike = np.float32) -> None:
        self._dtype = dtype
        self._lock = Lock()
        self.kept: list[Buffer] = []

    def take(self, shape: tuple[int, ...]) -> Array:
        """An array of this shape; its content is arbitrary."""
        with self._lock:
            for buffer in self.kept:
                if buffer.shape == shape and buffer.is_free():
                    return buffer.lend()
            made = Buffer(shape, self._dtype)
            self.kept = [*(one for one in self.kept if one.shape == shape), made][-MOST:]
            return made.lend()


def compile_kept(function: Callable[..., Any], signature: str | None = None, **options: Any) -> Any:
    """The function compiled, and kept on disk: now where it has a signature, else at its first call.

    It runs without the interpreter's lock and divides as numpy does; ``options`` are those of ``numba.njit``.

    Raises:
        ImportError: numba is not installed, or does not work with this numpy.
    """
    import numba

    chosen = {"nogil": True, "error_model": "numpy", **options}
    with timed(log, "%s compiled, or taken from the cache", function.__name__, level=logging.DEBUG):
        try:
            return numba.njit(signature, cache=True, **chosen)(function)
        except (RuntimeError, OSError):  # no folder for the cache
            return numba.njit(signature, **chosen)(function)
