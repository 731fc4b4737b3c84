"""Functions compiled by numba, kept on disk where it finds a folder that it may write to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def compile_kept(function: Callable[..., Any], signature: str | None = None, **options: Any) -> Any:
    """The function compiled: now where it has a signature, else at its first call.

    It runs without the interpreter's lock and divides as numpy does; ``options`` are those of ``numba.njit``.

    Raises:
        ImportError: numba is not installed, or not beside this numpy.
    """
    import numba

    chosen = {"nogil": True, "error_model": "numpy", **options}
    try:
        return numba.njit(signature, cache=True, **chosen)(function)
    except (RuntimeError, OSError):  # no folder for the cache
        return numba.njit(signature, **chosen)(function)
