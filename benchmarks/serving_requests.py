"""What clients of the service send in the benchmark, and which answers are right."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import stela_core as stela

PROFILE = "learned-en.stela"

SLOW = 10.0
"""Seconds after which a body that has not come is given up (408), as it should be: on a crowded machine these
clients may be that slow themselves."""

BUSY = (503, 504)
"""Statuses that any request may get where there is no room, or its time is over."""


@dataclass(frozen=True)
class Request:
    """One request, and what has to come back."""

    kind: str
    body: bytes
    statuses: tuple[int, ...] = (200,)
    results: list[dict[str, Any]] | None = None
    """Of a good one, to the last digit."""
    headers: tuple[tuple[str, str], ...] = ()
    path: str = "/v1/detect"
    method: str = "POST"
    cut: bool = False
    """The client leaves in the middle of the body."""
    slow: bool = False
    """The client leaves a second between two parts of the body."""

    def wrong(self, status: int, headers: dict[str, str], body: bytes, seconds: float) -> bool:
        """Whether this is not an answer to it, after so many seconds."""
        if status == 408:
            return seconds < SLOW
        if status in BUSY:
            return status == 503 and "retry-after" not in headers
        if status not in self.statuses:
            return True
        if status == 200:
            return self.results is not None and json.loads(body)["results"] != self.results
        told = json.loads(body)
        return set(told) != {"error", "hint"} or body.count(b"\n") != 1


def good(marks: stela.Watermarks, texts: Sequence[str]) -> list[Request]:
    """One text for one profile, one for all, eight at once; with the answers of this process."""
    one = marks[PROFILE].detect_many(texts)
    every = marks.detect_many(texts)
    made = []
    for n, text in enumerate(texts):
        fields = {"text": text, "profile": PROFILE}
        made.append(Request("one profile", json.dumps(fields).encode(), results=[one[n].to_dict()]))
        made.append(
            Request("all profiles", json.dumps({"text": text}).encode(), results=[every[n].to_dict()])
        )
    for start in range(0, len(texts) - 7, 8):
        body = json.dumps({"texts": texts[start : start + 8], "profile": PROFILE}).encode()
        made.append(Request("8 texts", body, results=[each.to_dict() for each in one[start : start + 8]]))
    return made


def huge(marks: stela.Watermarks, texts: Sequence[str]) -> list[Request]:
    """The longest text that is taken, one that is longer, bodies beyond the limit."""
    book = " ".join(texts)
    long = (book * (50_000 // len(book) + 1))[:50_000]
    expected = [marks[PROFILE].detect(long).to_dict()]
    return [
        Request("huge", json.dumps({"text": long, "profile": PROFILE}).encode(), results=expected),
        Request("huge", json.dumps({"text": long + "a"}).encode(), (422,)),
        Request("huge", json.dumps({"texts": [long] * 64}).encode(), (413,)),
        Request("huge", json.dumps({"texts": ["a"] * 65}).encode(), (400,)),
    ]


def malformed() -> list[Request]:
    """No JSON, or not what is asked for."""
    bodies = (
        b"",
        b'{"text": "unfinished',
        b'{"text": NaN}',
        b'{"text": 1e999999}',
        b'{"text": ' + b"9" * 5000 + b"}",
        b'{"text": null}',
        b'{"texts": "one"}',
        b'{"texts": []}',
        b'{"text": "a", "texts": ["a"]}',
        b'{"text": "a", "tokens": "yes"}',
        b'{"text": "a", "more": 1}',
        b'["text"]',
        b'{"text": "\xff"}',
        b'{"text": "\\udc80"}',
    )
    return [Request("malformed", body, (400,)) for body in bodies]


def hostile(seed: int) -> list[Request]:
    """Bombs, texts that cost most, other places and methods, clients that leave or dawdle."""
    rng = random.Random(seed)
    letters = "".join(chr(rng.randrange(0x20, 0xD000)) for _ in range(20_000))
    costly = json.dumps({"text": letters, "profile": PROFILE}).encode()
    windows = json.dumps({"text": letters, "windows": True}).encode()
    plain = json.dumps({"text": "a b c d e f g h"}).encode()
    return [
        Request("hostile", b"[" * 500_000, (400,)),
        Request("hostile", b'{"a":' * 300_000, (400,)),
        Request("hostile", b"[" + b"1," * 900_000 + b"1]", (400,)),
        Request("hostile", gzip.compress(b" " * 5_000_000), (415,), headers=(("Content-Encoding", "gzip"),)),
        Request("hostile", b'{"text": "a", "profile": "../../etc/passwd"}', (404,)),
        Request("hostile", b"", (404,), path="/../../etc/passwd", method="GET"),
        Request("hostile", b"", (405,), method="DELETE"),
        Request("hostile", costly),
        Request("hostile", windows),
        Request("hostile", json.dumps({"text": "\u202e\x00\x1b[2J" * 5000}).encode()),
        Request("hostile", json.dumps({"text": "a" * 50_000}).encode()),
        Request("hostile", plain, cut=True),
        Request("hostile", plain, slow=True),
    ]


Choice = Callable[[random.Random], Request]


def choice_of(
    parts: Sequence[tuple[float, Sequence[Request]]],
) -> Choice:
    """Draws requests: a part by its share, one of it evenly."""
    shares = [share for share, _ in parts]
    return lambda rng: rng.choice(rng.choices([list(part) for _, part in parts], shares)[0])
