"""Rates, names of clients, the page's policy, the log, and what is asked: without a process."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from stela_serve import log
from stela_serve.asking import asked_of, for_worker
from stela_serve.examine import Asked, Setup
from stela_serve.limits import Limits
from stela_serve.line import Job, Line
from stela_serve.page import page_html, policy_of
from stela_serve.rates import Rates, client_of
from stela_serve.refused import RefusedError
from stela_serve.worker import answer

import stela_core as stela
from stela_core.cli.main import build_cli


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


def test_policy_allows_the_blocks_of_the_page_and_nothing_else() -> None:
    html = "<style>a{}</style><script>one()</script><script>two()</script>"
    policy = dict(part.strip().split(" ", 1) for part in policy_of(html).split(";"))
    expected = [base64.b64encode(hashlib.sha256(block).digest()).decode() for block in (b"one()", b"two()")]
    assert policy["script-src"] == " ".join(f"'sha256-{digest}'" for digest in expected)
    assert policy["default-src"] == "'none'"
    assert "script-src 'none'" in policy_of("<p>")
    assert page_html().count("<script") == page_html().count("<script>") == 1


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
def test_mistakes_of_the_operator_are_one_line(
    registry: stela.Registry, options: tuple[str, ...], words: str
) -> None:
    done = CliRunner().invoke(build_cli(registry), ["serve", "--port", "0", *options])
    told = done.output + str(done.exception)
    assert done.exit_code != 0
    assert words in told
    assert "Traceback" not in told
