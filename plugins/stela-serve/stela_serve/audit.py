"""The record of what a service checked, for auditors: one line of JSON for each request."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path
from typing import Any

from stela_core import StelaError
from stela_serve.examine import Asked

TOLD = ("profile", "key_id", "verdict", "is_watermarked", "p_value")
"""Fields of an answer that go into the record: none holds a text, a message or a colour."""


class CheckLog:
    """A file that gets a line for each request, and a new name each day (UTC).

    Files of earlier days get their date as an ending. None is deleted, and only their owner can read them.

    Args:
        path: today's file.

    Raises:
        StelaError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.touch(mode=0o600)
            self._handler = TimedRotatingFileHandler(path, "midnight", encoding="utf-8", utc=True)
        except OSError as error:
            raise StelaError(
                f'the record "{path}" cannot be written: {error.strerror}.',
                "name a file in a folder that you may write to with --audit",
            ) from None
        self._handler.rotator = _next_day

    def checked(self, asked: Asked, answer: bytes) -> None:
        """Add a request that was answered.

        Args:
            asked: the request.
            answer: JSON of the answer: an object of ``results``, or of one text's score.
        """
        given = json.loads(answer)
        told = [{name: one[name] for name in TOLD if name in one} for one in given.get("results", [given])]
        self._add(asked, {"results": told})

    def refused(self, asked: Asked | None, status: int) -> None:
        """Add a request that was refused.

        Args:
            asked: the request; ``None`` if its body could not be read.
            status: the HTTP status of the answer.
        """
        self._add(asked, {"refused": status})

    def _add(self, asked: Asked | None, said: dict[str, Any]) -> None:
        line: dict[str, Any] = {"time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        if asked is not None:
            line |= {"profile": asked.profile, "characters": [len(text) for text in asked.texts]}
        self._handler.emit(logging.makeLogRecord({"msg": "%s", "args": (json.dumps(line | said),)}))


def _next_day(today: str, dated: str) -> None:
    """Begin another file that only its owner reads: the handler's would be everybody's."""
    os.replace(today, dated)
    Path(today).touch(mode=0o600)
