"""Compiled functions in place of numpy's where loading numba is worth it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from typing import Any, Generic, TypeVar, cast

WORTH = 64
"""Calls before the compiled function is taken, where numba is loaded already."""

F = TypeVar("F", bound=Callable[..., Any])


class LazyCompiled(Generic[F]):
    """A function by numpy, and one by numba that gives the same bits, taken from some calls on.

    Args:
        plain: by numpy, the definition.
        load: imports the other; ``None`` where it does not give the same bits here.
        loading: calls that lose as much time by ``plain`` as loading numba takes, where it is not: who cannot
            know how many will come loses at most as much again by waiting for so many.
    """

    def __init__(self, plain: F, load: Callable[[], F | None], loading: int) -> None:
        self._plain, self._load, self._loading = plain, load, loading
        self._calls = count()
        self._chosen: F | None = None

    def choose(self) -> F:
        """The function for one call more."""
        if self._chosen is not None:
            return self._chosen
        calls = next(self._calls)
        if calls < (WORTH if "numba" in sys.modules else self._loading):
            return self._plain
        try:
            self._chosen = self._load() or self._plain
        except ImportError:  # numba is not installed, or not beside this numpy
            self._chosen = self._plain
        return self._chosen


def compiled(function: F) -> F:
    """The function compiled at its first call, and kept on disk where there is a folder for it.

    Raises:
        ImportError: numba is not installed, or not beside this numpy.
    """
    import numba

    options: Any = {"nogil": True, "error_model": "numpy"}
    made: Any
    try:
        made = numba.njit(cache=True, **options)(function)
    except (RuntimeError, OSError):  # no folder for the cache
        made = numba.njit(**options)(function)
    return cast("F", made)
