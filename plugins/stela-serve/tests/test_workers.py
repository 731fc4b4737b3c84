"""Workers that die, hang, or have to stop: what is at hand is answered, and the next ones are, too."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

import httpx
import pytest
from stela_serve.started import Started
from stela_testing.texts import ENGLISH, random_text

from .conftest import KEY, Another, Running, Start

pytestmark = pytest.mark.slow


def test_a_text_that_kills_one_worker_is_tested_by_another(running: Running) -> None:
    [one] = running.results(text="ONCE " + ENGLISH, profile="trap")
    assert one["scored_tokens"] > 10


@pytest.mark.deep(stand_in="test_a_text_that_kills_one_worker_is_tested_by_another")
def test_a_text_that_kills_every_worker_is_given_up(running: Running) -> None:
    refused = running.detect(text="DIES " + ENGLISH, profile="trap")
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert "two workers" in refused.json()["error"]
    assert running.results(text=ENGLISH, profile="trap")


@pytest.mark.deep(stand_in="test_a_text_that_kills_one_worker_is_tested_by_another")
def test_killed_workers_lose_no_request(running: Running, gate: Path) -> None:
    expected = running.results(text=ENGLISH, profile="kgw")
    with ThreadPoolExecutor(8) as clients:
        asked = [clients.submit(running.detect, text=f"WAITS {ENGLISH}", profile="trap") for _ in range(2)]
        asked += [clients.submit(running.detect, text=ENGLISH, profile="kgw") for _ in range(6)]
        time.sleep(0.7)
        for pid in running.service.children():
            os.kill(pid, signal.SIGKILL)
        gate.touch()
        answers = [one.result() for one in asked]
    assert [answer.status_code for answer in answers] == [200] * 8
    assert all(answer.json()["results"] == expected for answer in answers[2:])


def test_a_text_that_hangs_is_ended(running: Running) -> None:
    with ThreadPoolExecutor(4) as clients:
        hanging = clients.submit(running.detect, text="HANG " + ENGLISH, profile="trap")
        time.sleep(0.3)
        assert running.results(text=ENGLISH, profile="kgw")
        assert not hanging.done(), "the other worker does not wait for it"
        refused = hanging.result()
    assert refused.status_code == 504
    assert refused.json() == {
        "error": "the request took more than 10 s.",
        "hint": "send fewer or shorter texts",
    }


@pytest.mark.deep(stand_in="test_a_text_that_hangs_is_ended")
def test_long_texts_of_some_leave_a_worker_to_others(running: Running, gate: Path) -> None:
    """Long texts that wait hold one worker, never both: a short one is answered while they do."""
    long = ("WAITS " + ENGLISH * 590)[:49_000]
    running.await_workers()
    with ThreadPoolExecutor(4) as clients:
        heavy = [clients.submit(running.detect, text=long, profile="trap") for _ in range(3)]
        time.sleep(0.5)
        assert running.results(text=ENGLISH, profile="kgw")
        assert not any(one.done() for one in heavy)
        gate.touch()
        assert [one.result().status_code for one in heavy] == [200] * 3


@pytest.mark.parametrize(("word", "status"), [("BREAK", 500), ("REFUSE", 422), ("LARGE", 413)])
def test_words_of_errors_go_nowhere(running: Running, word: str, status: int) -> None:
    refused = running.detect(text=f"{word} {ENGLISH}", profile="trap")
    assert refused.status_code == status
    assert "history" not in refused.text
    assert word not in refused.text


def test_what_a_library_prints_goes_nowhere(running: Running) -> None:
    assert running.results(text="LOUD " + ENGLISH, profile="trap")
    assert "history" not in running.said()


def test_metrics_count_workers_that_went(running: Running) -> None:
    with httpx.Client(base_url=running.service.url) as client:
        client.post("/v1/detect", json={"text": "DIES " + ENGLISH, "profile": "trap"}, timeout=60)
        assert 'stela_workers_gone_total{why="died"}' in client.get("/metrics").text


def test_full_queue_is_told_at_once(another: Another, gate: Path) -> None:
    """One text is tested and one waits in the queue: the others are refused before either is done."""
    url = f"{another.service.url}/v1/detect"
    waiting = {"text": "WAITS " + ENGLISH, "profile": "trap"}
    with ThreadPoolExecutor(12) as clients:
        asked = [clients.submit(httpx.post, url, json=waiting, timeout=60) for _ in range(12)]
        refused = [one.result() for one in islice(as_completed(asked), 10)]
        gate.touch()
        statuses = sorted(one.result().status_code for one in asked)
    assert statuses == [200] * 2 + [503] * 10
    for answer in refused:
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0


def test_rate_of_a_client(start: Start) -> None:
    with start("--workers", "1", "--rate", "10") as service, httpx.Client(base_url=service.url) as client:
        assert client.post("/v1/detect", json={"texts": [ENGLISH] * 8}, timeout=60).status_code == 200
        answers = [client.get("/v1/profiles") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 6
        assert client.get("/healthz").status_code == 200


def test_sigterm_ends_it_after_what_is_at_hand(start: Start, gate: Path) -> None:
    with start("--workers", "1") as service, ThreadPoolExecutor(3) as clients:
        url = f"{service.url}/v1/detect"
        waiting = {"text": "WAITS " + ENGLISH, "profile": "trap"}
        asked = [clients.submit(httpx.post, url, json=waiting, timeout=60) for _ in range(2)]
        time.sleep(0.7)
        [worker] = service.children()
        service.process.send_signal(signal.SIGTERM)
        os.kill(worker, signal.SIGTERM)  # as a service manager does that signals all processes
        time.sleep(0.3)
        assert service.process.poll() is None
        gate.touch()
        answers = [one.result() for one in asked]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert service.process.wait(30) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(url)
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
        assert json.loads(service.log.read_text().splitlines()[-1])["event"] == "stopped"


@pytest.mark.deep(stand_in="test_sigterm_ends_it_after_what_is_at_hand")
def test_workers_end_with_a_service_that_is_killed(start: Start) -> None:
    with start("--workers", "1") as service, ThreadPoolExecutor(1) as clients:
        fields = {"text": "HANG " + ENGLISH, "profile": "trap"}
        asked = clients.submit(httpx.post, f"{service.url}/v1/detect", json=fields, timeout=60)
        time.sleep(0.7)
        [worker] = service.children()
        service.process.kill()
        service.process.wait()
        with pytest.raises(httpx.HTTPError):
            asked.result()
        end = time.monotonic() + 20
        while os.path.exists(f"/proc/{worker}") and time.monotonic() < end:
            time.sleep(0.05)
        assert not os.path.exists(f"/proc/{worker}")


def test_connections_beyond_the_most_are_told_so(keyless: Started) -> None:
    host, port = keyless.url.removeprefix("http://").split(":")
    held = [socket.create_connection((host, int(port))) for _ in range(3)]
    time.sleep(0.2)
    answer = httpx.get(f"{keyless.url}/healthz")
    assert answer.status_code == 503
    assert "too many connections" in answer.json()["error"]
    for connection in held:
        connection.close()
    time.sleep(0.2)
    assert httpx.get(f"{keyless.url}/healthz").status_code == 200


@pytest.mark.deep(
    stand_in="plugins/stela-serve/tests/test_parts.py::test_mistakes_of_the_operator_are_one_line"
)
def test_profile_that_cannot_be_opened_is_named_and_left_out(start: Start, running: Running) -> None:
    broken = running.profiles / "broken.stela"
    try:
        broken.write_bytes(b"no zip")
        with start("--workers", "1") as service:
            assert "broken.stela is left out" in service.log.read_text()
            listed = httpx.get(f"{service.url}/v1/profiles").json()
            assert "broken.stela" not in {one["name"] for one in listed["profiles"]}
            text = random_text(3)
            answer = httpx.post(f"{service.url}/v1/detect", json={"text": text}, timeout=60)
            assert answer.json()["results"] == running.results(text=text)
            assert KEY not in service.log.read_text() + service.out.read_text()
    finally:
        broken.unlink()
