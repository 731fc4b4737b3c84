"""Compiled functions in place of numpy's where loading numba is worth it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any, Generic, TypeVar, cast

WORTH = 64
"""Calls before the compiled function is taken, where numba is loaded already."""

LOADING = 0.5
"""CPU seconds that loading numba takes, and a compiled function from disk."""

F = TypeVar("F", bound=Callable[..., Any])


class LazyCompiled(Generic[F]):
    """A function by numpy, and one by numba that gives the same bits, taken from some calls on.

    Where numba is not loaded, it is once the calls have taken :data:`LOADING`: who cannot know how many will
    come loses at most as much again by waiting so long.

    Args:
        plain: by numpy, the definition.
        load: imports the other; ``None`` where it does not give the same bits here.
        clock: CPU seconds of this thread.
    """

    def __init__(
        self, plain: F, load: Callable[[], F | None], clock: Callable[[], float] = time.thread_time
    ) -> None:
        self._plain, self._load, self._clock = plain, load, clock
        self._calls = count()
        self._taken = 0.0
        self._chosen: F | None = None

    @property
    def run(self) -> F:
        """The function for one call more."""
        if self._chosen is not None:
            return self._chosen
        loaded = "numba" in sys.modules
        if next(self._calls) < WORTH if loaded else self._taken < LOADING:
            return self._plain if loaded else cast("F", self._timed)
        try:
            self._chosen = self._load() or self._plain
        except ImportError:  # numba is not installed, or not beside this numpy
            self._chosen = self._plain
        return self._chosen

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives."""
        return self.run(*arguments)

    def _timed(self, *arguments: Any) -> Any:
        began = self._clock()
        result = self._plain(*arguments)
        self._taken += self._clock() - began
        return result
