"""Rates, names of clients, the page's policy, the log, and what is asked: without a process."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_models.generation.generate import Generated
from stela_serve import log
from stela_serve.asking import asked_of, for_worker, scoring_of
from stela_serve.examine import Asked, Setup
from stela_serve.limits import Limits
from stela_serve.line import Job, Line
from stela_serve.page import LARGEST, Page, held_within, page_of
from stela_serve.rates import Rates, client_of
from stela_serve.refused import RefusedError
from stela_serve.worker import answer
from stela_testing import assert_refused, run_cli

import stela_core as stela
from tests.tiers import examples

from .conftest import KEY, SECRET


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(1, 80)), max_size=60), st.integers(1, 100))
def test_no_client_gets_more_than_its_rate(asked: list[tuple[float, int]], rate: int) -> None:
    """Within any time t no more than a full bucket and what flows in, by a sum over all intervals."""
    clock = Clock()
    rates = Rates(rate, clock)
    given_: list[tuple[float, int]] = []
    for pause, cost in asked:
        clock.now += pause
        try:
            rates.take("a", cost)
            given_.append((clock.now, min(cost, rate)))
        except RefusedError as refused:
            clock.now += int(refused.headers["Retry-After"])
            rates.take("a", cost)  # then there is enough
            given_.append((clock.now, min(cost, rate)))
        rates.take("another")
        clock.now += 60 / rate
    for first in range(len(given_)):
        for last in range(first, len(given_)):
            took = sum(cost for _, cost in given_[first : last + 1])
            assert took <= rate + (given_[last][0] - given_[first][0]) * rate / 60 + 1e-6


def test_buckets_are_bounded_and_no_rate_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stela_serve.rates.CLIENTS", 3)
    rates = Rates(1, Clock())
    for name in "abcd":
        rates.take(name)
    assert len(rates._buckets) == 3
    rates.take("a")  # forgotten, so full
    with pytest.raises(RefusedError):
        rates.take("d")
    unlimited = Rates(0)
    for _ in range(1000):
        unlimited.take("a", 64)


def test_who_counts_as_one_client() -> None:
    assert client_of("203.0.113.9") == client_of("::ffff:203.0.113.9") == "203.0.113.9"
    assert client_of("2001:db8:1:2::3") == client_of("2001:db8:1:2:ffff::9")
    assert client_of("2001:db8:1:2::3") != client_of("2001:db8:1:3::3")
    assert client_of(None) == client_of("no address") == "unknown"


def test_page_holds_what_a_browser_can_test_for_and_no_secret(folders: tuple[Path, Path]) -> None:
    profiles, _ = folders
    names = [file.name for file in profiles.iterdir()]
    html, policy = page_of(profiles, names, (), secret_tokens=False)
    listed = {one["name"]: one for one in listed_in(html)}
    assert {name for name, one in listed.items() if "content" in one} == {"kgw", "korean"}
    assert {name: one["tokens"] for name, one in listed.items() if "asked" in one} == {
        "secret": False,
        "trap": True,
    }
    assert listed["secret"]["asked"] == SECRET
    assert KEY not in html
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    for block in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", html, re.DOTALL):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()}'" in policy
    kept, _ = page_of(profiles, names, names, secret_tokens=True)
    assert {one["name"]: one["tokens"] for one in listed_in(kept)} == dict.fromkeys(listed, True)
    key = stela.load(profiles / "kgw.stela").profile.hasher.key
    assert key is not None
    assert key in html
    assert key not in kept


def listed_in(html: str) -> list[dict[str, Any]]:
    """What the page knows of profiles."""
    [content] = re.findall(r'<script type="application/json" id="profiles">(.*?)</script>', html, re.DOTALL)
    listed: list[dict[str, Any]] = json.loads(content)
    return listed


def test_page_has_room_for_so_much(folders: tuple[Path, Path]) -> None:
    profiles, _ = folders
    sizes: dict[bytes, int] = {}
    assert held_within(profiles / "kgw.stela", sizes) is not None
    assert 0 < sum(sizes.values()) < LARGEST
    full = {b"another": LARGEST, **sizes}
    assert held_within(profiles / "korean.stela", full) is None  # it has a table of its own
    assert (
        held_within(profiles / "kgw.stela", {b"another": LARGEST - sum(sizes.values()), **sizes}) is not None
    )


def test_page_reads_messages_itself(tmp_path: Path) -> None:
    profile = tmp_path / "who.stela"
    stela.create("gumbel", model="tiny", key="public", bits=16).save(profile)
    html, _ = page_of(tmp_path, ["who.stela"], (), secret_tokens=False)
    [one] = listed_in(html)
    assert json.loads(one["content"])["message"]["bits"] == 16


@given(st.binary(max_size=200_000))
@examples(20)
def test_page_is_sent_whole_in_pieces(html: bytes) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Page(html, "default-src 'none'")({}, None, send))  # type: ignore[arg-type]
    head, *pieces = sent
    assert dict(head["headers"])[b"content-length"] == str(len(html)).encode()
    assert b"".join(piece["body"] for piece in pieces) == html
    assert [piece["more_body"] for piece in pieces[:-1]] == [True] * (len(pieces) - 1)
    assert not html or not pieces[-1]["more_body"]


def test_log_has_no_words_of_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    handler = log.Terse()
    try:
        raise ValueError("the text")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("a.library", logging.ERROR, "f.py", 7, "the text %s", ("again",), info)
    handler.handle(record)
    said = capsys.readouterr().err
    assert json.loads(said) | {"time": 0} == {
        "time": 0,
        "event": "library",
        "logger": "a.library",
        "level": "ERROR",
        "place": "f:7",
        "error": "ValueError",
    }


def test_what_is_asked_reaches_a_worker_as_it_is() -> None:
    body = json.dumps({"texts": ["a", "é\U0001f600\x00"], "profile": "p", "windows": True}).encode()
    asked = asked_of(body, Limits(), ["p.stela"], ())
    assert asked == Asked(("a", "é\U0001f600\x00"), "p.stela", windows=True)

    class Echo:
        def answer(self, heard: Asked) -> dict[str, Any]:
            return {"same": heard == asked}

    assert answer(Echo(), for_worker(asked)) == (b"R", b'{"same": true}')  # type: ignore[arg-type]
    setup = Setup("d", ("k",), ("f",), memory=7)
    assert Setup.of(json.loads(json.dumps(setup.to_dict()))) == setup


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12), st.randoms())
def test_line_keeps_the_order_and_loses_nothing(kinds: list[tuple[bool, bool]], rng: random.Random) -> None:
    """By a second line that is a list; takers that are cancelled at any moment take nothing."""

    async def stood() -> None:
        line = Line()
        jobs = [Job(b"", number, heavy) for number, (heavy, _) in enumerate(kinds)]
        for job in rng.sample(jobs, len(jobs)):
            leaver = asyncio.create_task(line.take(light=job.heavy))
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)
            await line.put(job)
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            leaver.cancel()
            await asyncio.wait({leaver})
            if not leaver.cancelled():
                await line.put(leaver.result())
        gone = set(rng.sample(range(len(jobs)), len(jobs) // 3))
        for number in gone:
            line.discard(jobs[number])
            line.discard(jobs[number])
        waiting = [(number, heavy) for number, (heavy, _) in enumerate(kinds) if number not in gone]
        for _, light in kinds:
            fitting = [one for one in waiting if not (light and one[1])]
            if fitting:
                waiting.remove(fitting[0])
                async with asyncio.timeout(5):
                    assert (await line.take(light)).number == fitting[0][0]
        assert [job.number for job in line.drain()] == [number for number, _ in waiting]

    asyncio.run(stood())


@pytest.mark.parametrize(
    "error", [ValueError("the text"), stela.StelaError("the text"), MemoryError("the text")]
)
def test_worker_tells_the_kind_of_an_error_alone(error: Exception) -> None:
    class Failing:
        def answer(self, asked: Asked) -> dict[str, Any]:
            raise error

    request = for_worker(Asked(("the text",)))
    assert answer(Failing(), request) == (b"E", type(error).__name__.encode())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--profiles"),
        (("--profiles", "/nowhere"), "cannot be read"),
        (("--profiles", ".", "--host", "203.0.113.1"), "cannot listen"),
        (("--profiles", ".", "--port", "70000"), "--port"),
    ],
)
def test_mistakes_of_the_operator_are_one_line(options: tuple[str, ...], words: str) -> None:
    assert_refused(run_cli("serve", "--port", "0", *options), words)


def test_a_record_of_generate_is_a_body() -> None:
    record = Generated("In the", "city", [5], [None], 0.0).to_dict()
    asked = asked_of(json.dumps(record | {"windows": True}).encode(), Limits(), {"a.stela"}, set())
    assert asked.texts == ("city",)
    assert asked.windows
    assert scoring_of(json.dumps(record).encode(), Limits(), {"a.stela"}).texts == ("city",)
    for other in ({"text": "a", "windws": True}, {"texts": ["a"], "prompt": "b"}):
        with pytest.raises(RefusedError):
            asked_of(json.dumps(other).encode(), Limits(), {"a.stela"}, set())
