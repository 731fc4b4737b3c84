"""Slow clients and much memory: connections and bodies within their bounds, without a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request
from stela_serve import protocol
from stela_serve.bodies import Bodies
from stela_serve.examine import Setup
from stela_serve.limits import Limits
from stela_serve.pool import Pool
from stela_serve.protocol import bounded
from stela_serve.refused import RefusedError, json_line

JSON = (b"content-type", b"application/json")


def request_of(
    pieces: list[bytes], *headers: tuple[bytes, bytes], pause: float = 0.0, ends: bool = True
) -> Request:
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages += [{"type": "http.request", "body": b"", "more_body": False}] if ends else []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    return Request({"type": "http", "headers": [JSON, *headers]}, receive)


def status_of(bodies: Bodies, request: Request) -> int:
    with pytest.raises(RefusedError) as refused:
        asyncio.run(bodies.read(request))
    assert bodies.held == 0
    return refused.value.status


def test_body_is_read_and_counted() -> None:
    bodies = Bodies(Limits())
    body = asyncio.run(bodies.read(request_of([b"ab", b"", b"cde"])))
    assert (body, bodies.held) == (b"abcde", 5)
    bodies.release(body)
    assert bodies.held == 0


def test_bodies_beyond_their_bounds() -> None:
    assert status_of(Bodies(Limits(body=4)), request_of([b"abc", b"de"])) == 413
    assert status_of(Bodies(Limits(body=4)), request_of([b"a"], (b"content-length", b"5"))) == 413
    assert status_of(Bodies(Limits(held=4)), request_of([b"abc", b"de"])) == 503
    assert status_of(Bodies(Limits(wait=0.05)), request_of([b"a"] * 50, pause=0.02)) == 408
    assert status_of(Bodies(Limits()), request_of([b"a"], ends=False)) == 400
    assert status_of(Bodies(Limits()), request_of([b"a"], (b"content-encoding", b"gzip"))) == 415


def test_who_does_not_wait_leaves_nothing_in_the_line() -> None:
    """Requests are large: those of clients that have gone, or were told to come again, must not pile up."""

    async def left() -> list[int]:
        pool = Pool(Setup("."), 1, Limits(wait=0.1, queue=4))  # no worker was started
        asked = [asyncio.create_task(pool.ask(b"a" * 100)) for _ in range(8)]
        await asyncio.sleep(0.03)
        waiting = [len(pool._line)]
        asked[0].cancel()
        await asyncio.sleep(0.03)
        waiting.append(len(pool._line))
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError] + [RefusedError] * 7
        return [*waiting, len(pool._line), pool.waiting]

    assert asyncio.run(left()) == [5, 4, 0, 0]


def served(work: Callable[[int], Any]) -> Any:
    """What the work gives with the port of a server that answers with the length of a body's first piece."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        first = len((await receive()).get("body", b""))
        headers = [(b"content-length", str(len(json_line(first))).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json_line(first)})

    async def both() -> Any:
        config = uvicorn.Config(app, port=0, http=bounded(9), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            return await work(server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            await task

    return asyncio.run(both())


async def until_closed(reader: asyncio.StreamReader) -> None:
    """Raises TimeoutError where the service leaves the connection open."""
    with suppress(ConnectionError):  # what it did not read resets the connection
        async with asyncio.timeout(10):
            await reader.read()


def test_a_head_that_drips_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the client goes on."""
    monkeypatch.setattr(protocol, "IDLE_SECONDS", 0.3)

    async def work(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        waiting = asyncio.create_task(until_closed(reader))
        writer.write(b"GET / HTTP/1.1\r\nHost: ")
        while not waiting.done():
            writer.write(b"a")
            await asyncio.sleep(0.05)
        await waiting

    served(work)


def test_a_body_without_end_is_heard_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "REST_SECONDS", 0.3)

    async def work(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\nabc")
        head = await reader.readuntil(b"\r\n\r\n")
        waiting = asyncio.create_task(until_closed(reader))
        while not waiting.done():
            writer.write(b"more")
            await asyncio.sleep(0.02)
        await waiting
        return head

    assert served(work).startswith(b"HTTP/1.1 200")


def test_connection_serves_one_request_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "IDLE_SECONDS", 1.0)

    async def work(port: int) -> list[bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        bodies = []
        for length in (3, 0, 7):
            head = f"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"
            writer.write(head.encode() + b"a" * length)
            await reader.readuntil(b"\r\n\r\n")
            bodies.append(await reader.readline())
            await asyncio.sleep(0.6)  # together longer than a connection may be idle
        return bodies

    assert served(work) == [b"3\n", b"0\n", b"7\n"]
