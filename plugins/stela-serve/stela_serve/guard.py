"""Around all of the service: names, rates, errors as one line of JSON, headers, log, metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stela_serve import log
from stela_serve.hosts import Hosts
from stela_serve.limits import ANSWER_SECONDS, SEND_SECONDS
from stela_serve.metrics import Metrics
from stela_serve.rates import Rates, client_of
from stela_serve.refused import RefusedError

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

FREE = ("/healthz", "/metrics")
"""Paths for whoever runs the service: no client's rate counts there."""

ALIVE = "/healthz"
"""Whoever looks whether it lives may do so by any name: it tells nothing else."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Guard:
    """An ASGI application around the routes.

    Args:
        app: the routes.
        paths: of them all; others are "other" in log and metrics.
        rates: of clients.
        metrics: what is counted.
        hosts: names that a request may call the service by.
    """

    def __init__(
        self, app: ASGIApp, paths: frozenset[str], rates: Rates, metrics: Metrics, hosts: Hosts
    ) -> None:
        self._app, self._paths, self._rates, self._metrics = app, paths, rates, metrics
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        began = time.perf_counter()
        answer = _Answer(send, scope.get("state", {}).get("abort"))
        path = scope["path"]
        route = path if path in self._paths else "other"
        scope["app"] = self  # then a route raises for a method that it has not
        noted: dict[str, Any] = {}
        scope["stela"] = noted
        try:
            if path != ALIVE:
                self._hosts.check(scope["headers"])
            if path not in FREE:
                self._rates.take(client_of((scope.get("client") or ("",))[0]))
            await self._app(scope, receive, answer)
        except RefusedError as refused:
            await answer.refuse(refused, scope, receive)
        except HTTPException as error:
            await answer.refuse(of_http(error), scope, receive)
        except TimeoutError:
            answer.give_up()
        except Exception as error:
            log.line("error", route=route, error=type(error).__name__)
            mistake = RefusedError(500, "the service failed.", "report it to whoever runs it")
            await answer.refuse(mistake, scope, receive)
        finally:
            spent = time.perf_counter() - began
            method = scope["method"] if scope["method"] in METHODS else "other"
            log.line(
                "request", method=method, route=route, status=answer.status, ms=round(1e3 * spent, 1), **noted
            )
            self._metrics.requests.labels(route, str(answer.status)).inc()
            self._metrics.seconds.labels(route).observe(spent)


class _Answer:
    """What is sent: with the headers that all have, and within a time."""

    def __init__(self, send: Send, abort: Callable[[], None] | None) -> None:
        self._send, self._abort = send, abort
        self.status = 0
        self._end = 0.0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._end = time.perf_counter() + ANSWER_SECONDS
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        async with asyncio.timeout(min(SEND_SECONDS, self._end - time.perf_counter())):
            await self._send(message)

    async def refuse(self, refused: RefusedError, scope: Scope, receive: Receive) -> None:
        """Send what is wrong, unless an answer has begun."""
        if self.status:
            self.give_up()
            return
        try:
            await refused.response()(scope, receive, self)
        except TimeoutError:
            self.give_up()

    def give_up(self) -> None:
        """Close the connection without waiting for the client to read."""
        if self._abort is not None:
            self._abort()


def of_http(error: HTTPException) -> RefusedError:
    """What a route raises: another method than it has, or there is no such route."""
    if error.status_code == 405:
        allow = (error.headers or {}).get("Allow", "GET")
        return RefusedError(405, "this is not supported here.", f"use {allow}", allow=allow)
    return RefusedError(404, "no such path.", "see /openapi.json")
