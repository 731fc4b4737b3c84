"""The log: a line of JSON for each request and event, on standard error.

It holds no text, no key, no path, no address: only names that the service itself gives to things. What a
library reports goes in only by the name of its error, whose words could quote a request.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any


def line(event: str, **fields: Any) -> None:
    """Write one line."""
    said = {"time": round(time.time(), 3), "event": event, **fields}
    sys.stderr.write(json.dumps(said) + "\n")
    sys.stderr.flush()


class Terse(logging.Handler):
    """What libraries log: who, how bad, and the kind of error, without their words."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        error = record.exc_info[0] if record.exc_info else None
        line(
            "library",
            logger=record.name,
            level=record.levelname,
            place=f"{record.module}:{record.lineno}",
            **({} if error is None else {"error": error.__name__}),
        )


def install() -> None:
    """Let all libraries of this process log so."""
    root = logging.getLogger()
    root.handlers[:] = [Terse(logging.WARNING)]
    root.setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = name != "uvicorn.access"
