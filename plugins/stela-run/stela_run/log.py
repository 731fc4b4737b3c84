"""Lines on the course of a run: all of them in ``run.log``, few of them on the terminal."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from stela_core.api import printable

log = logging.getLogger(__name__)

LOG = "run.log"
EVERY = 30.0
"""Seconds between two lines on progress that are said aloud."""

Say = Callable[[str], None]


class Log:
    """Write lines with their time.

    Args:
        folder: of the run.
        say: gets the lines meant for a person at once.
        steps_aloud: whether progress is said, too; not where a bar shows it.
    """

    def __init__(self, folder: Path, say: Say | None = None, steps_aloud: bool = False) -> None:
        self._path = folder / LOG
        self._say = say or (lambda line: None)
        self._steps_aloud = steps_aloud
        self._said = float("-inf")
        self._lock = threading.Lock()

    def tell(self, line: str) -> None:
        """A line that matters: said aloud."""
        self._write(line)
        self._say(line)

    def step(self, line: str) -> None:
        """A line on progress: said aloud now and then."""
        self._write(line)
        log.info("%s", line)
        if self._steps_aloud and self.due:
            self._said = time.monotonic()
            self._say(line)

    @property
    def due(self) -> bool:
        """Whether nothing was said of progress for a while."""
        return time.monotonic() - self._said >= EVERY

    def _write(self, line: str) -> None:
        stamp = datetime.now().astimezone().isoformat(timespec="seconds")
        # Opened anew for each line: a run may be killed, and its folder be moved, at any time.
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {printable(' '.join(line.split()))}\n")
