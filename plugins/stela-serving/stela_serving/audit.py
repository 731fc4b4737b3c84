"""A record of what a server marked, for auditors: a line a request, without its text and without the key."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path
from typing import Any

from stela_core import StelaError

NOT_ASKED = "the request asked for no mark"
TOO_SHORT = "the text ended before a token had a context"
NO_ANSWER = "the output held no answer, only thoughts or calls of tools"
"""Why a text is unmarked."""


class AuditLog:
    """Add a line of JSON for each request, and begin another file each day (UTC).

    Files of earlier days get their date as an ending. None is deleted, and only their owner can read them.

    Args:
        path: of today's file.
        policy: the server's.

    Raises:
        StelaError: the file cannot be written.
    """

    def __init__(self, path: Path, policy: str) -> None:
        self._policy = policy
        try:
            path.touch(mode=0o600)
            self._handler = TimedRotatingFileHandler(path, "midnight", encoding="utf-8", utc=True)
            self._handler.rotator = _rotate
        except OSError as error:
            raise StelaError(
                f'the audit record "{path}" cannot be written: {error.strerror}.',
                "set STELA_AUDIT to a file in a folder that the server may write to",
            ) from None

    def marked(self, profile: str, key_id: str | None, tokens: int, marked_tokens: int, why: str) -> None:
        """A text that was to be marked has left.

        Args:
            profile: its name.
            key_id: of the profile's key; ``None`` where it has none.
            tokens: of the whole output.
            marked_tokens: of them.
            why: none of them is, where none is.
        """
        own: dict[str, Any] = {"profile": profile, "key_id": key_id, "marked": marked_tokens > 0}
        own |= {"tokens": tokens, "marked_tokens": marked_tokens}
        self._add(own if marked_tokens else {**own, "why": why})

    def unmarked(self, why: str) -> None:
        """A text that is not to be marked has begun."""
        self._add({"profile": None, "marked": False, "why": why})

    def _add(self, said: dict[str, Any]) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": time, "policy": self._policy, **said})
        self._handler.emit(logging.makeLogRecord({"msg": "%s", "args": (line,)}))


def _rotate(source: str, named: str) -> None:
    """Begin another file, before the handler does with rights for everybody."""
    os.replace(source, named)
    Path(source).touch(mode=0o600)
