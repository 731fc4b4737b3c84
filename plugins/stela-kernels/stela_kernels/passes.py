"""What compiled passes over logits share: numba's compiler, and memory for what they write."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.api import timed

log = logging.getLogger(__name__)

Array = npt.NDArray[Any]

MOST = 2
"""``generate`` still holds the last step's scores while the next are made: two take turns."""


class Buffers:
    """Arrays of one type and of one shape at a time, handed out only while nothing refers to them.

    A fresh array of 20 MB costs a page fault for every 4 KB of it, several times the pass that fills it. The
    memory may be used again as soon as the caller has let go of the last output: ``torch.from_numpy`` makes
    a tensor's storage hold a reference to its array, and every view shares the storage, so the array's
    reference count says whether any is alive.
    """

    def __init__(self, dtype: npt.DTypeLike = np.float32) -> None:
        self._dtype = dtype
        self._lock = Lock()
        self._arrays: list[Array] = [np.empty(0, dtype=dtype)]
        # Counted in the place where it is compared: what Python itself adds differs by version.
        self._unused = self._references(0)
        self._arrays = []

    def take(self, shape: tuple[int, ...]) -> Array:
        """An array of this shape; its content is arbitrary."""
        with self._lock:
            for index in range(len(self._arrays)):
                if self._arrays[index].shape == shape and self._references(index) == self._unused:
                    return self._arrays[index]
            made = np.empty(shape, dtype=self._dtype)
            self._arrays = [*(a for a in self._arrays if a.shape == shape), made][-MOST:]
            return made

    def _references(self, index: int) -> int:
        return sys.getrefcount(self._arrays[index])


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
