"""Why a request gets no result: a status and one line of JSON, with nothing of the request in it."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

BUSY = "try again after the seconds of Retry-After"


class RefusedError(Exception):
    """A request that is refused, or cannot be answered.

    Args:
        status: of HTTP.
        error: what is wrong, one sentence; never words of the request, which may be of a text.
        hint: what to do.
        retry_after: seconds after which it may be tried again.
        allow: methods of the place, where the method was another.
    """

    def __init__(
        self, status: int, error: str, hint: str, retry_after: int | None = None, allow: str | None = None
    ) -> None:
        super().__init__(error)
        self.status, self.error, self.hint = status, error, hint
        self.headers: dict[str, str] = {}
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)
        if allow is not None:
            self.headers["Allow"] = allow

    @property
    def body(self) -> bytes:
        """One line of JSON."""
        return json_line({"error": self.error, "hint": self.hint})

    def response(self) -> Response:
        """The response for Starlette."""
        return Response(self.body, self.status, self.headers, "application/json")


def json_line(value: Any) -> bytes:
    """A value as one line of ASCII."""
    return json.dumps(value).encode() + b"\n"


def busy(error: str, seconds: int) -> RefusedError:
    """The service has no room at the moment."""
    return RefusedError(503, error, BUSY, retry_after=seconds)
