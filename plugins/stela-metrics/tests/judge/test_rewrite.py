"""The attack against a server on this machine."""

from __future__ import annotations

from typing import Any

import pytest
import stela_run
from stela_metrics.judge import Judge, Rewrite
from stela_models.loaded import Models
from stela_run.testing import AttackContract
from stela_run.testing.preflights import Everything

import stela_core as stela
from stela_core.api import parse_parameters

from .conftest import Reply, Server, completion

TEXTS = ["The river is {wide}.", " \n", "Nobody knows.", "The river is {wide}."]


def rewrite(server: Server, **parameters: Any) -> Rewrite:
    values = {"model": "m", "base_url": server.url, "backoff": 0.0, **parameters}
    return Rewrite(parse_parameters(Rewrite.Parameters, values, 'attack "judge-rewrite"'))


def circumstances(registry: stela.Registry) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", 0, [""] * len(TEXTS), [], Models(registry, "cpu"))


def reversed_words(body: dict[str, Any]) -> Reply:
    """Another wording that is a function of the text: its words from last to first."""
    text = body["messages"][0]["content"].split("\n\n", 1)[1]
    return completion(f" {' '.join(text.split()[::-1])}\n")


def test_each_text_is_asked_about_once(registry: stela.Registry, server: Server) -> None:
    server.answer = reversed_words
    made = rewrite(server, temperature="default").apply(TEXTS, circumstances(registry))
    assert made == ["{wide}. is river The", " \n", "knows. Nobody", "{wide}. is river The"]
    assert len(server.seen) == 2
    asked = sorted(body["messages"][0]["content"] for _, _, body in server.seen)
    assert all(question.startswith("Paraphrase the following text.") for question in asked)
    assert all("temperature" not in body for _, _, body in server.seen)


def test_the_instruction_is_the_user_s(registry: stela.Registry, server: Server) -> None:
    server.answer = lambda body: completion(body["messages"][0]["content"].upper())
    made = rewrite(server, instruction="{{sum up}} {text}").apply(TEXTS[2:3], circumstances(registry))
    assert made == ["{SUM UP} NOBODY KNOWS."]


@pytest.mark.parametrize("wrong", ["no field", "{other} {text}", "{text} {", "{}", "{text.upper}"])
def test_a_wrong_instruction_is_one_line(server: Server, wrong: str) -> None:
    with pytest.raises(stela.StelaError, match="instruction") as refused:
        rewrite(server, instruction=wrong)
    assert "\n" not in str(refused.value)


def test_a_refusal_is_one_line(registry: stela.Registry, server: Server) -> None:
    server.answer = lambda body: (404, {"error": {"message": "no model\nof this name"}}, {})
    with pytest.raises(stela.StelaError, match="the rewriter at") as refused:
        rewrite(server).apply(TEXTS, circumstances(registry))
    assert "no model of this name" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_empty_answer_is_a_text_of_which_nothing_is_left(registry: stela.Registry, server: Server) -> None:
    server.answer = lambda body: completion(None)
    assert rewrite(server).apply(TEXTS[2:3], circumstances(registry)) == [""]


class TestContract(AttackContract):
    draws = False

    @pytest.fixture
    def attack(self, server: Server) -> Rewrite:
        server.answer = reversed_words
        return rewrite(server)


@pytest.mark.parametrize("make", [Rewrite, Judge])
def test_an_endpoint_that_is_not_there_is_found_before_a_run(
    server: Server, make: type[Rewrite] | type[Judge]
) -> None:
    def check(url: str) -> None:
        values = {"model": "m", "base_url": url}
        make(parse_parameters(make.Parameters, values, "it")).check(Everything())  # type: ignore[arg-type]

    check(server.url)
    server.get_status = 401
    with pytest.raises(stela.StelaError, match=r"refuses the key \(401\)"):
        check(server.url)
    assert server.seen == [], "nothing is asked"
    with pytest.raises(stela.StelaError, match="cannot be reached"):
        check("http://127.0.0.1:9/v1")
