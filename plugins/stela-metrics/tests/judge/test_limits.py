"""Endpoints that never end, in time or in size; where the key goes; what may go unencrypted."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest
import stela_run
from stela_metrics.judge import Judge
from stela_metrics.judge.endpoint import LONGEST_ANSWER
from stela_metrics.judge.secret import find_key

import stela_core as stela
from stela_core.api import parse_parameters

from .conftest import Server, completion, sample_of
from .raw import RawServer

KEY = "sk-test-0123456789abcdef"
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
START = Callable[..., RawServer]


@pytest.fixture
def start(server: Server) -> Iterator[START]:
    """Starts servers that speak as they like; after ``server``, which clears keys and proxies."""
    made: list[RawServer] = []

    def make(speak: Callable[[socket.socket, Event], None]) -> RawServer:
        made.append(RawServer(speak))
        return made[-1]

    yield make
    for one in made:
        one.close()


def measure(base_url: str, **more: Any) -> list[stela_run.Value]:
    values = {"model": "m", "base_url": base_url, "retries": 0, "most": 1, "concurrency": 1, **more}
    parameters = parse_parameters(Judge.Parameters, values, 'metric "judge"')
    return list(Judge(parameters).measure(sample_of([("p", "marked", "unmarked")])))


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nx-slow: ", OK + b"content-length: 1000\r\n\r\n", OK + b"\r\n"]
)
def test_a_drip_has_an_end(start: START, head: bytes) -> None:
    """A byte ten times as often as the limit, in the headers or in the body: no single read is late."""

    def drip(connection: socket.socket, closing: Event) -> None:
        connection.sendall(head)
        while not closing.wait(0.03):
            connection.sendall(b" ")

    dripping = start(drip)
    with pytest.raises(stela.StelaError, match=r"gave no answer in 0\.3 s \(1 tries\)"):
        measure(dripping.url, timeout=0.3)


@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request"])
@pytest.mark.parametrize("chunked", [True, False])
def test_an_endless_body_is_cut_off(start: START, status: bytes, chunked: bool) -> None:
    sent = [0]

    def flood(connection: socket.socket, closing: Event) -> None:
        coding = b"transfer-encoding: chunked\r\n" if chunked else b""
        connection.sendall(b"HTTP/1.1 " + status + b"\r\n" + coding + b"\r\n")
        block = b" " * (1 << 16)
        while not closing.is_set():
            connection.sendall(b"10000\r\n" + block + b"\r\n" if chunked else block)
            sent[0] += len(block)

    flooding = start(flood)
    with pytest.raises(stela.StelaError, match="answered with more than 1 MiB"):
        measure(flooding.url)
    # The rest is what sockets hold on the way.
    assert sent[0] < 32 * LONGEST_ANSWER


def test_a_compressed_answer_is_not_opened(start: START) -> None:
    """Its size is not that of what comes out."""

    def squeezed(connection: socket.socket, closing: Event) -> None:
        connection.sendall(OK + b"content-encoding: gzip\r\ncontent-length: 2\r\n\r\n\x1f\x8b")

    server = start(squeezed)
    with pytest.raises(stela.StelaError, match="answered compressed"):
        measure(server.url)
    assert "accept-encoding: identity" in server.heads[0].lower()


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("answer", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, "\ud800"])
def test_strange_json_gives_one_line(server: Server, status: int, answer: str) -> None:
    server.answer = lambda body: (status, answer if answer.isascii() else json.dumps([answer]), {})
    with pytest.raises(stela.StelaError, match=r"not a chat completion|answered 400") as caught:
        measure(server.url)
    assert "\n" not in str(caught.value)


def test_a_complaint_does_not_reach_the_terminal_raw(server: Server) -> None:
    server.answer = lambda body: (400, {"error": {"message": "no\x1b]0;owned\x07\nsecond\u202e line"}}, {})
    with pytest.raises(stela.StelaError, match="answered 400") as caught:
        measure(server.url)
    assert str(caught.value).isprintable()
    assert "second" in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://judge.example.org/v1",
        "http://api.openai.com/v1",
        "http://192.168.1.5:8000/v1",
        "http://0.0.0.0:8000/v1",
        "http://127.0.0.1.example.org/v1",
        "http://localhost.example.org/v1",
        "http://2130706433/v1",
        "http://[::ffff:7f00:1]/v1",
    ],
)
def test_unencrypted_on_this_machine_alone(url: str) -> None:
    with pytest.raises(stela.StelaError, match="https"):
        measure(url)


@pytest.mark.parametrize(
    "url", ["http://localhost:1/v1", "http://127.0.0.9:1/v1", "http://[::1]:1/v1", "HTTP://LOCALHOST:1"]
)
def test_unencrypted_on_this_machine(server: Server, url: str) -> None:
    with pytest.raises(stela.StelaError, match="cannot be reached"):
        measure(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com\\@judge.example.org/v1",
        "https://api.openai.com\\.judge.example.org/v1",
        "https://api.openai.com\t.example.org/v1",
        "https://judge.example.org /v1",
        "https://júdge.example.org/v1",
        "https://api.openai.com%2ejudge.example.org",
        "https://host:99999/v1",
        "https://host:0/v1",
        "https:///v1",
        "https://host/v1\n",
    ],
)
def test_addresses_that_can_be_read_in_two_ways(url: str) -> None:
    with pytest.raises(stela.StelaError, match="base_url"):
        measure(url)


@pytest.mark.parametrize(
    ("hosts", "url", "sent"),
    [
        (None, "https://api.openai.com/v1", True),
        (None, "https://judge.example.org/v1", False),
        (None, "http://127.0.0.1:8000/v1", True),
        ("judge.example.org", "https://judge.example.org/v1", True),
        ("judge.example.org", "https://JUDGE.example.org:8443/v1", True),
        ("judge.example.org", "https://api.openai.com/v1", False),
        ("judge.example.org", "https://judge.example.org.evil.example/v1", False),
        ("judge.example.org", "https://evil-judge.example.org/v1", False),
        ("judge.example.org:8443", "https://judge.example.org:8443/v1", True),
        ("judge.example.org:8443", "https://judge.example.org/v1", False),
        ("judge.example.org:443", "https://judge.example.org/v1", True),
        ("one.example, two.example", "https://two.example/v1", True),
        ("[2001:db8::1]", "https://[2001:db8::1]:8000/v1", True),
    ],
)
def test_the_key_goes_to_named_hosts(
    monkeypatch: pytest.MonkeyPatch, hosts: str | None, url: str, sent: bool
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    if hosts is None:
        monkeypatch.delenv("STELA_JUDGE_HOST", raising=False)
    else:
        monkeypatch.setenv("STELA_JUDGE_HOST", hosts)
    if sent:
        assert find_key(url) == KEY
        return
    with pytest.raises(stela.StelaError, match="STELA_JUDGE_KEY is not for") as caught:
        measure(url)
    assert "STELA_JUDGE_HOST=" in caught.value.hint
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_no_key_along(server: Server, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    other = Server()
    host = other.url.replace("127.0.0.1", "localhost")
    server.answer = lambda body: (status, "", {"location": f"{host}/chat/completions"})
    with pytest.raises(stela.StelaError, match=f"answered {status}"):
        measure(server.url)
    other.close()
    assert other.seen == []


def test_no_proxy_sees_what_is_for_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_JUDGE_KEY", KEY)
    proxy = Server()
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server.answer = lambda body: completion("[[A]]")
    measure(server.url)
    proxy.close()
    assert (len(proxy.seen), len(server.seen)) == (0, 2)


def test_where_a_loop_runs_already(server: Server) -> None:
    """As in a notebook."""
    server.answer = lambda body: completion("[[A]]")

    async def cell() -> list[stela_run.Value]:
        return measure(server.url)

    assert {value.name: value.value for value in asyncio.run(cell())}["judge-first"] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", float("inf")),
        ("timeout", float("nan")),
        ("temperature", float("nan")),
        ("extra", {"a": float("inf")}),
    ],
)
def test_numbers_without_an_end(name: str, value: Any) -> None:
    with pytest.raises(stela.StelaError, match=name):
        measure("http://localhost:1/v1", **{name: value})
