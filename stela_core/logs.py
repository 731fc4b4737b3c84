"""What is loaded, fetched, cached and counted: lines for the standard library's ``logging``.

Each package has a logger of its name, and a module one below it: ``logging.getLogger(__name__)``. A line is
written for each file, model or batch, never for each token or step. No line holds a text or a key.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def timed(log: logging.Logger, message: str, *values: object, level: int = logging.INFO) -> Iterator[None]:
    """Log a message with the seconds that the body took; nothing where the body raises.

    Args:
        log: of the module.
        message: with ``%s`` for each value, such as ``"profile %s opened"``.
        values: what the message names.
        level: of the line.
    """
    start = time.perf_counter()
    yield
    log.log(level, f"{message} in %.2f s", *values, time.perf_counter() - start)
