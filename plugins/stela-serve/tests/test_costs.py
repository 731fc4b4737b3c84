"""What requests cost, and who pays: estimates by what a text is, time-outs by the client's rate."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.testclient import TestClient
from stela_serve.app import Service
from stela_serve.costs import ALL, Cost, Costs, timed
from stela_serve.examine import Setup
from stela_serve.hosts import Hosts
from stela_serve.limits import HEAVY, Limits
from stela_serve.line import Job
from stela_serve.metrics import Metrics
from stela_serve.pool import Pool
from stela_serve.rates import Rates
from stela_serve.refused import RefusedError

WORDS = "the city and its people " * 500
TAGGER = {"words": 2e-5, "runs": 4e-4}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Asked:
    """A pool that keeps what it is asked, and answers nothing in time where a text says so."""

    workers = ready = 1

    def __init__(self) -> None:
        profile = {"name": "p.stela", "key": "public"}
        costs = {ALL: [4e-5, 8e-4], "p.stela": [*TAGGER.values()]}
        page = ["<html></html>", "default-src 'none'"]
        self.hello = {"profiles": [profile], "tests": 2, "signer": None, "page": page, "costs": costs}
        self.heavy: list[bool] = []

    async def ask(self, request: bytes, heavy: bool, lost: Any) -> bytes:
        self.heavy.append(heavy)
        if b"HANG" in request:
            lost()
            raise RefusedError(504, "too long.", "send less")
        return b"{}"


def test_a_text_costs_what_it_is_and_not_its_length() -> None:
    cost = Cost(**TAGGER)
    brackets = "(" * len(WORDS)
    assert cost.of([WORDS]) == pytest.approx(len(WORDS) * cost.words)
    assert cost.of([brackets]) == pytest.approx(20 * cost.of([WORDS]))
    assert cost.of([WORDS, brackets]) == pytest.approx(21 * cost.of([WORDS]))
    assert cost.of([f"{WORDS}{'(' * 100} b"]) == pytest.approx(
        100 * cost.runs + (len(WORDS) + 2) * cost.words
    )
    costs = Costs({ALL: Cost(1, 1), "p": cost})
    assert costs.of([WORDS], "p") == cost.of([WORDS])
    assert costs.of([WORDS], None) == len(WORDS)


def test_samples_are_of_both_kinds_and_each_is_new() -> None:
    seen: list[str] = []
    timed(seen.append)
    assert len(set(seen)) == 4
    assert [cost > 0 for cost in (Cost(1.0, 0.0).of(seen[:2]), Cost(0.0, 1.0).of(seen[2:]))] == [True, True]
    assert Cost(0.0, 1.0).of(seen[:2]) < Cost(0.0, 1.0).of(seen[2:])


def test_unbroken_texts_are_heavy_and_count_as_several() -> None:
    pool, limits = Asked(), Limits(rate=120)
    service = Service(pool, limits, Metrics(lambda: 0, lambda: 1), Hosts("testserver"))  # type: ignore[arg-type]
    client, brackets = TestClient(service.application()), "(" * len(WORDS)
    for text in (WORDS, brackets):
        answer = client.post("/v1/detect", json={"text": text, "profile": "p"})
        assert answer.status_code == 200
    assert pool.heavy == [False, True]
    expected = 1 + round(2 * Cost(**TAGGER).of([brackets]))
    [(level, _)] = service._rates._buckets.values()
    assert Cost(**TAGGER).of([brackets]) > HEAVY
    assert level == pytest.approx(limits.rate - expected, abs=0.5)


def test_time_outs_count_against_the_rate() -> None:
    """Twenty seconds of a worker are forty texts of 120 a minute: the fourth in a row is told to wait."""
    pool, limits = Asked(), Limits(rate=120, seconds=20.0)
    service = Service(pool, limits, Metrics(lambda: 0, lambda: 1), Hosts("testserver"))  # type: ignore[arg-type]
    client = TestClient(service.application())
    statuses = [client.post("/v1/detect", json={"text": "HANG"}).status_code for _ in range(5)]
    assert statuses == [504, 504, 504, 429, 429]
    assert len(pool.heavy) == 3


def test_debt_is_bounded_and_is_paid_with_time() -> None:
    clock = Clock()
    rates = Rates(60, clock)
    rates.charge("a", 1e9)
    for now in (0.0, 59.0):
        clock.now = now
        with pytest.raises(RefusedError) as refused:
            rates.take("a")
        assert int(refused.value.headers["Retry-After"]) == 61 - now
    clock.now = 61.0
    rates.take("a")
    rates.take("b", 60)
    Rates(0).charge("a", 5)


@pytest.mark.parametrize(("seconds", "lost"), [(0.05, 1), (5.0, 0)])
def test_a_worker_that_is_killed_is_told_of(seconds: float, lost: int) -> None:
    """Also where the client has gone before: the work went on."""

    class Slow:
        async def ask(self, request: bytes) -> tuple[bytes, bytes]:
            await asyncio.sleep(0.2)
            return b"R", b"{}"

        async def ended(self) -> None:
            await asyncio.Event().wait()

    async def one() -> int:
        told: list[None] = []
        pool = Pool(Setup("."), 1, Limits(seconds=seconds))
        job = Job(b"a", 0, lost=lambda: told.append(None))
        await pool._line.put(job)
        working = asyncio.create_task(pool._one(0, Slow()))  # type: ignore[arg-type]
        await asyncio.sleep(0.01)
        job.answer.cancel()
        await working
        return len(told)

    assert asyncio.run(one()) == lost
