"""What a stranger may send: one line of JSON comes back, in time, and it says nothing of what was sent."""

from __future__ import annotations

import gzip
import json
import socket
import time
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_testing.texts import ENGLISH

from tests.tiers import examples

from .conftest import KEY, Running

pytestmark = pytest.mark.slow

MARKER = "Zebedäus Quux-4711"
JSON = {"Content-Type": "application/json"}


def refused(
    running: Running, body: bytes | str, headers: dict[str, str] = JSON
) -> tuple[int, dict[str, str]]:
    answer = running.client.post("/v1/detect", content=body, headers=headers)
    assert answer.headers["content-type"] == "application/json"
    assert answer.text.count("\n") == 1
    told = answer.json()
    assert set(told) == {"error", "hint"}
    assert all(told.values())
    for secret in (MARKER, "Quux", "Zebed", KEY):
        assert secret not in answer.text
    return answer.status_code, told


BODIES: dict[str, tuple[int, bytes]] = {
    "nothing": (400, b""),
    "broken": (400, b'{"text": "' + MARKER.encode()),
    "no object": (400, json.dumps([MARKER]).encode()),
    "a string": (400, json.dumps(MARKER).encode()),
    "not a number": (400, b'{"text": NaN}'),
    "infinity": (400, b'{"text": "a", "tokens": Infinity}'),
    "a huge number": (400, b'{"text": "a", "tokens": ' + b"9" * 100_000 + b"}"),
    "a huge exponent": (400, b'{"text": "a", "tokens": 1e999999}'),
    "deep": (400, b"[" * 100_000),
    "deep objects": (400, b'{"text":' * 50_000),
    "many values": (400, b"[" + b"1," * 190_000 + b"1]"),
    "half a character": (400, b'{"text": "\\ud800"}'),
    "no UTF-8": (400, b'{"text": "\xff\xfe"}'),
    "UTF-16": (400, json.dumps({"text": MARKER}).encode("utf-16")),
    "no text": (400, b"{}"),
    "both": (400, b'{"text": "a", "texts": ["a"]}'),
    "null": (400, b'{"text": null}'),
    "a number": (400, b'{"text": 7}'),
    "true": (400, b'{"text": true}'),
    "texts is a string": (400, json.dumps({"texts": MARKER}).encode()),
    "a text is a list": (400, json.dumps({"texts": [[MARKER]]}).encode()),
    "no texts": (400, b'{"texts": []}'),
    "65 texts": (400, json.dumps({"texts": [MARKER] * 65}).encode()),
    "flag is a number": (400, b'{"text": "a", "tokens": 1}'),
    "flag is a string": (400, json.dumps({"text": "a", "windows": MARKER}).encode()),
    "unknown field": (400, json.dumps({"text": "a", MARKER: 1}).encode()),
    "unknown profile": (404, json.dumps({"text": "a", "profile": MARKER}).encode()),
    "path as profile": (404, b'{"text": "a", "profile": "../../etc/passwd"}'),
    "profile is a list": (400, b'{"text": "a", "profile": ["kgw"]}'),
    "long text": (422, json.dumps({"text": "a" * 50_001}).encode()),
    "large body": (413, json.dumps({"texts": ["a" * 50_000] * 10}).encode()),
    "tokens of much text": (
        422,
        json.dumps({"texts": ["a" * 30_000] * 2, "tokens": True, "profile": "kgw"}).encode(),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(running: Running, name: str) -> None:
    status, body = BODIES[name]
    assert refused(running, body)[0] == status


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, identity", "nonsense"])
def test_compressed_bodies_are_not_read(running: Running, coding: str) -> None:
    bomb = (gzip if "gzip" in coding else zlib).compress(b" " * 10_000_000)
    status, told = refused(running, bomb, {**JSON, "Content-Encoding": coding})
    assert status == 415
    assert "Content-Encoding" in told["hint"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_other_kinds(running: Running, kind: str) -> None:
    assert refused(running, b'{"text": "a"}', {"Content-Type": kind})[0] == 415


@examples(60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=8,
    ),
    st.sampled_from(["text", "texts", "profile", "tokens", "windows", "as_it_is", "other"]),
)
def test_any_value_of_any_field(running: Running, value: Any, field: str) -> None:
    body = json.dumps({"text": "a", field: value}) if field != "text" else json.dumps({"text": value})
    answer = running.client.post("/v1/detect", content=body, headers=JSON)
    assert answer.status_code in (200, 400, 403, 404)
    if answer.status_code != 200:
        assert set(answer.json()) == {"error", "hint"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/detect", 405),
        ("DELETE", "/v1/profiles", 405),
        ("TRACE", "/", 405),
        ("QUUX", "/healthz", 405),
        ("GET", "/v1/detect/", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", f"/{MARKER}?text={MARKER}", 404),
        ("POST", "/docs", 404),
    ],
)
def test_other_places_and_methods(running: Running, method: str, path: str, status: int) -> None:
    answer = running.client.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()) == {"error", "hint"}
    assert "Quux" not in answer.text
    assert ("allow" in answer.headers) == (status == 405)


def exchanged(running: Running, *pieces: bytes, pause: float = 0.0) -> bytes:
    host, port = running.service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTPS/1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40_000,
        b"GET /" + b"a" * 40_000,
    ],
    ids=["TLS", "version", "two hosts", "negative length", "two lengths", "large header", "long path"],
)
def test_what_is_no_http(running: Running, sent: bytes) -> None:
    head, _, body = exchanged(running, sent).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert set(json.loads(body)) == {"error", "hint"}


def test_chunked_body_without_end_is_refused(running: Running) -> None:
    head = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    answer = exchanged(running, head, *([chunk] * 150))
    assert answer.startswith(b"HTTP/1.1 413")


def test_service_is_as_well_as_before(running: Running) -> None:
    assert running.service.process.poll() is None
    assert running.results(text=ENGLISH, profile="kgw")[0]["scored_tokens"] > 10


def test_log_holds_no_text_no_path_and_no_key(running: Running) -> None:
    running.results(texts=[MARKER, ENGLISH])
    said = running.said()
    for secret in (MARKER, "Quux", "Zebed", "history", "passwd", KEY, str(int(KEY, 16))):
        assert secret not in said
        assert secret not in running.client.get("/metrics").text
    lines = [json.loads(line) for line in running.service.log.read_text().splitlines() if line[0] == "{"]
    routes = {
        "/",
        "/v1/detect",
        "/detect",
        "/v1/profiles",
        "/v1/signer",
        "/healthz",
        "/metrics",
        "/openapi.json",
        "other",
    }
    asked = [line for line in lines if line["event"] == "request"]
    assert {line["route"] for line in asked} <= routes
    assert {tuple(line)[:6] for line in asked} == {("time", "event", "method", "route", "status", "ms")}
    assert {name for line in asked for name in line} <= {
        *("time", "event", "method", "route", "status", "ms", "texts", "characters")
    }
