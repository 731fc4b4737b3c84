"""The metric against a server on this machine."""

from __future__ import annotations

import time
from typing import Any

import pytest
import stela_run
from stela_metrics.judge import Judge
from stela_run.testing import MetricContract, make_sample

import stela_core as stela
from stela_core.api import parse_parameters

from .conftest import Reply, Server, completion, sample_of, shown

PAIRS = [(f"Prompt {n}", f"good {n}" if n < 6 else f"bad {n}", f"fair {n}") for n in range(8)]
"""A fair judge prefers the marked text in 6 of 8."""

ORDER = ("bad", "fair", "good")


def fair(body: dict[str, Any]) -> Reply:
    first, second = (ORDER.index(text.split()[0]) for text in shown(body))
    return completion("[[A]]" if first > second else "[[B]]" if second > first else "[[C]]")


def judge(server: Server, **parameters: Any) -> Judge:
    values = {"model": "m", "base_url": server.url, "backoff": 0.0, **parameters}
    return Judge(parse_parameters(Judge.Parameters, values, 'metric "judge"'))


def measured(server: Server, pairs: list[tuple[str, str, str]] = PAIRS, **more: Any) -> dict[str, float]:
    return {value.name: value.value for value in judge(server, **more).measure(sample_of(pairs))}


def test_fair_judge(server: Server) -> None:
    server.answer = fair
    found = measured(server)
    assert found == {
        "judge-win": 0.75,
        "judge-tie": 0,
        "judge-disagree": 0,
        "judge-first": 0.5,
        "judge-first-p": 1,
        "judge-unclear": 0,
    }
    assert len(server.seen) == 16
    path, headers, body = server.seen[0]
    assert path == "/v1/chat/completions"
    assert "authorization" not in headers
    assert (body["model"], body["temperature"], body["messages"][0]["role"]) == ("m", 0, "user")
    both = {shown(body) for _, _, body in server.seen}
    assert both == {pair for _, m, u in PAIRS for pair in ((m, u), (u, m))}


@pytest.mark.slow
class TestContract(MetricContract):
    @pytest.fixture
    def metric(self, server: Server) -> Judge:
        server.answer = lambda body: completion("[[A]]" if shown(body) > shown(body)[::-1] else "[[B]]")
        return judge(server)

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls, registry: stela.Registry) -> stela_run.Sample:
        return make_sample(registry, length=20, keys=1)


def test_judge_that_favours_a_place(server: Server) -> None:
    server.answer = lambda body: completion("[[A]]")
    found = measured(server)
    assert (found["judge-win"], found["judge-disagree"], found["judge-first"]) == (0.5, 1, 1)
    assert found["judge-first-p"] == pytest.approx(2 / 2**8)


def test_malformed_answers_are_counted_and_left_out(server: Server) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        first, _ = shown(body)
        if first == "good 0":
            return completion(None)
        return completion("I like both.") if first == "good 1" else fair(body)

    server.answer = answer
    found = measured(server)
    assert found["judge-unclear"] == pytest.approx(2 / 16)
    assert found["judge-win"] == pytest.approx(4 / 6)
    assert len(server.seen) == 16, "an answer without a verdict is not asked for again"


def test_only_malformed_answers(server: Server) -> None:
    server.answer = lambda body: completion("Hm.")
    with pytest.raises(stela.StelaError, match="holds a verdict"):
        measured(server)


@pytest.mark.parametrize(
    "content", ["<html>Welcome</html>", {"choices": []}, [], {"choices": [{"text": "A"}]}]
)
def test_no_chat_completion(server: Server, content: Any) -> None:
    server.answer = lambda body: (200, content, {})
    with pytest.raises(stela.StelaError, match="not a chat completion"):
        measured(server)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_tries_again(server: Server, status: int) -> None:
    count = 0

    def answer(body: dict[str, Any]) -> Reply:
        nonlocal count
        count += 1
        return (status, {"error": {"message": "busy"}}, {}) if count <= 2 else fair(body)

    server.answer = answer
    assert measured(server, concurrency=1)["judge-win"] == 0.75
    assert len(server.seen) == 18


def test_gives_up(server: Server) -> None:
    server.answer = lambda body: (429, {"error": {"message": "Rate limit reached."}}, {})
    with pytest.raises(stela.StelaError, match=r"answered 429: Rate limit reached \(3 tries\)") as caught:
        measured(server, PAIRS[:1], retries=2, concurrency=1)
    assert "\n" not in str(caught.value)
    assert len(server.seen) in (3, 4), "the second question is dropped, or was just sent"


def test_waits_as_long_as_the_server_asks(server: Server) -> None:
    times: list[float] = []

    def answer(body: dict[str, Any]) -> Reply:
        times.append(time.monotonic())
        return (429, "slow down", {"retry-after": "1"}) if len(times) == 1 else completion("[[A]]")

    server.answer = answer
    measured(server, PAIRS[:1], concurrency=1)
    assert times[1] - times[0] >= 1


def test_bad_request_is_not_tried_again(server: Server) -> None:
    server.answer = lambda body: (404, {"error": {"message": "The model m does not exist."}}, {})
    with pytest.raises(stela.StelaError, match="404: The model m does not exist") as caught:
        measured(server, PAIRS[:1], concurrency=1)
    assert "check model" in caught.value.hint
    assert len(server.seen) <= 2


def test_timeout(server: Server) -> None:
    server.answer = lambda body: (time.sleep(0.5), completion("[[A]]"))[1]
    with pytest.raises(stela.StelaError, match=r"gave no answer in 0.05 s \(2 tries\)"):
        measured(server, PAIRS[:1], timeout=0.05, retries=1)


def test_timeout_once(server: Server) -> None:
    slow = [True]
    server.answer = lambda body: (time.sleep(1.0) if slow and slow.pop() else None, fair(body))[1]
    assert measured(server, timeout=0.4, concurrency=1)["judge-win"] == 0.75


def test_unreachable(server: Server) -> None:
    server.close()
    with pytest.raises(stela.StelaError, match="cannot be reached") as caught:
        measured(server)
    assert "\n" not in str(caught.value)
    assert "base_url" in caught.value.hint


def test_concurrency_is_bounded_and_used(server: Server) -> None:
    server.answer = lambda body: (time.sleep(0.03), fair(body))[1]
    measured(server, concurrency=3)
    assert 2 <= server.most_busy <= 3


def test_same_question_is_asked_once_in_a_call(server: Server) -> None:
    server.answer = fair
    twice = [PAIRS[0], PAIRS[0], ("Prompt", "same", "same")]
    server.answer = lambda body: completion("[[C]]")
    metric = judge(server)
    metric.measure(sample_of(twice))
    assert len(server.seen) == 3
    metric.measure(sample_of(twice))
    assert len(server.seen) == 6, "nothing is kept from one call to the next"


def test_pairs_are_matched_by_prompt(server: Server) -> None:
    """Texts too short for the length are missing on either side."""
    server.answer = fair
    sample = sample_of(PAIRS)
    del sample.marked[0], sample.model_text[3]
    values = {value.name: value for value in judge(server).measure(sample)}
    assert values["judge-win"].n == 6
    for _, _, body in server.seen:
        first, second = shown(body)
        assert first.split()[1] == second.split()[1]
    sample.model_text.clear()
    with pytest.raises(stela.StelaError, match="no prompt with both"):
        judge(server).measure(sample)


def test_template_criteria_most_and_extra(server: Server) -> None:
    server.answer = lambda body: completion("[[C]]")
    template = "{{x}} {criteria}|{first}|{second}"
    measured(
        server, [("p", "{first} braces", "u")], prompt_template=template, criteria="rhyme",
        extra={"max_tokens": 5}, temperature="default",
    )  # fmt: skip
    bodies = [body for _, _, body in server.seen]
    assert {b["messages"][0]["content"] for b in bodies} == {
        "{x} rhyme|{first} braces|u",
        "{x} rhyme|u|{first} braces",
    }
    assert all(b["max_tokens"] == 5 and "temperature" not in b for b in bodies)
    server.seen.clear()
    measured(server, most=2)
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("base_url", "ftp://x", "http"),
        ("base_url", "https://me:secret@host/v1", "STELA_JUDGE_KEY"),
        ("base_url", "https://host/v1?key=1", "STELA_JUDGE_KEY"),
        ("prompt_template", "{first}", "second"),
        ("prompt_template", "{first} {second} {third}", "third"),
        ("prompt_template", "{first} {second} {", "prompt_template"),
        ("prompt_template", "{first.real} {second}", "first.real"),
        ("extra", {"model": "other"}, "model"),
        ("api_key", "sk-1", "no parameter"),
    ],
)
def test_wrong_parameters(name: str, value: Any, problem: str) -> None:
    with pytest.raises(stela.StelaError, match=problem):
        parse_parameters(Judge.Parameters, {"model": "m", name: value}, 'metric "judge"')


def test_registered(registry: stela.Registry) -> None:
    assert registry.get(stela_run.Metric, "judge") is Judge
    assert not Judge.attacked
