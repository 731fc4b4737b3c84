"""HTTP/1.1 of uvicorn, with an end to slow heads and to many connections, and its own errors as JSON.

It derives from uvicorn's class for h11, since uvicorn's settings have none of the three: a time for a head
(``timeout_keep_alive`` begins after an answer), an answer to a connection too many
(``limit_concurrency`` counts tasks, and answers in plain text), and the body of its answer 400.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from stela_serve.limits import IDLE_SECONDS, REST_SECONDS
from stela_serve.refused import RefusedError, busy


class BoundedProtocol(H11Protocol):
    """One connection."""

    most = 0
    """Connections that are served at once; as many again are told that there are too many."""

    _slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many."""
        self.app_state = {**self.app_state, "abort": transport.abort}
        super().connection_made(transport)
        if len(self.connections) > 2 * self.most:
            transport.abort()
            return
        if len(self.connections) > self.most:
            self.app = too_many
        self._close_after(IDLE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._head_is_there()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take in what came; a head that has begun has to come whole in time."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE and self.conn.our_state is not h11.DONE:
            self._head_is_there()

    def on_response_complete(self) -> None:
        """Go on with the next request of this connection; a body that is still coming may end soon."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.IDLE:
            self._close_after(IDLE_SECONDS)
        elif self.conn.their_state is h11.SEND_BODY:
            self._close_after(REST_SECONDS)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        refused = RefusedError(
            400, "this is not an HTTP request.", "send HTTP/1.1, with at most 16 KiB of headers"
        )
        head = [("content-type", "application/json"), ("connection", "close")]
        head.append(("content-length", str(len(refused.body))))
        with suppress(h11.LocalProtocolError):  # an answer has begun
            events: list[Any] = [h11.Response(status_code=400, headers=head)]
            events += [h11.Data(data=refused.body), h11.EndOfMessage()]
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    def _close_after(self, seconds: float) -> None:
        if self._slow is None:
            self._slow = self.loop.call_later(seconds, self.transport.close)

    def _head_is_there(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None


def bounded(most: int) -> type[BoundedProtocol]:
    """The protocol with a number of connections at once."""
    return type("Bounded", (BoundedProtocol,), {"most": most})


async def too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """The application of a connection beyond those."""
    response = busy("too many connections are open.", 5).response()
    response.headers["connection"] = "close"
    await response(scope, receive, send)
