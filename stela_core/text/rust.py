"""Errors of libraries written in Rust: a panic passes by ``except Exception``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stela_core.errors import StelaError


@contextmanager
def rust(what: str, hint: str) -> Iterator[None]:
    """Turn whatever the code within raises, panics included, into one line.

    Args:
        what: the beginning of the line, such as ``the tokenizer cannot be read``.
        hint: what to do.

    Raises:
        StelaError: in place of anything but an interrupt or an exit.
    """
    try:
        yield
    except (StelaError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except BaseException as error:  # pyo3_runtime.PanicException is a BaseException, no Exception
        raise StelaError(f"{what}: {str(error)[:200]}.", hint) from None
