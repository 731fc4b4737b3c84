"""The tests on the embedded model, without a mark and with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_audit.cache import cache, changed, first_word
from stela_audit.finding import Ask, Finding
from stela_audit.local import deployment
from stela_audit.occupancy import fixed_sampling
from stela_audit.presence import PROMPT, presence
from stela_audit.red_green import STEMS, moved, read, red_green
from stela_models.load import load_model
from stela_testing import assert_refused, run_cli

import stela_core as stela
from stela_core.api import LanguageModel
from tests.marked import golden_answers
from tests.tiers import Draws

SETS, EACH = 20, 20
"""Sets of answers without a mark, and answers of each sentence in a set."""


@pytest.fixture(scope="module")
def tiny(registry: stela.Registry) -> LanguageModel:
    return load_model(registry, "tiny", device="cpu")


@pytest.fixture
def plain(tiny: LanguageModel) -> Callable[[int], Ask]:
    return deployment(tiny, seed=3)


def marked(tiny: LanguageModel, scheme: str, **parameters: float) -> Callable[[int], Ask]:
    watermark = stela.create(scheme, model="tiny", key=f"{11:016x}", **parameters)  # type: ignore[arg-type]
    return deployment(tiny, watermark)


def most(level: float, tries: int) -> float:
    """Share of p-values at most ``level`` that chance explains."""
    return level + 3 * np.sqrt(level * (1 - level) / tries)


def test_no_two_answers_share_draws(tiny: LanguageModel) -> None:
    watermark = stela.create("kgw", model="tiny", key="public")
    for mark in (None, watermark):
        ask = deployment(tiny, mark, seed=1000, batch_size=8)(15)
        answers = ask(PROMPT, 40)
        assert len(set(answers)) == 40


@pytest.mark.slow
def test_red_green_holds_without_a_mark() -> None:
    texts = golden_answers()
    assert [len(some) for some in texts] == [SETS * EACH] * len(STEMS)
    p_values = np.array(
        [
            moved(read([some[n::SETS] for some in texts], 1), tolerance, np.random.default_rng(n), 999)
            for n in range(SETS)
            for tolerance in (0.0, 0.3)
        ]
    ).reshape(SETS, 2)
    # With this few answers even the permutation test holds.
    for column in p_values.T:
        for level in (0.05, 0.2):
            assert np.mean(column <= level) <= most(level, SETS)
    assert p_values.min() > 0.001


@pytest.mark.slow
def test_fixed_sampling_and_cache_hold_without_a_mark(plain: Callable[[int], Ask]) -> None:
    assert fixed_sampling(plain(40), PROMPT, 60).p_value > 0.99
    words = np.array([first_word(answer) for answer in plain(3)(PROMPT, 400)])
    draws = np.random.default_rng(0)
    p_values = []
    for _ in range(200):
        some = draws.choice(words, 100)
        p_values.append(changed(some[:50].tolist(), some[50:].tolist()))
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(p_values) <= level) <= most(level, len(p_values))


@pytest.mark.slow
def test_a_green_list_is_seen_by_red_green(tiny: LanguageModel) -> None:
    finding = red_green(marked(tiny, "kgw", delta=4.0)(3), 400)
    assert finding.p_value <= 0.001
    assert finding.queries == 400
    assert 300 < finding.used <= 400


@pytest.mark.slow
def test_a_keyed_choice_is_seen_by_fixed_sampling(tiny: LanguageModel, draws: Draws) -> None:
    """Its answers are the same again and again, so 30 tell as much as 120."""
    assert fixed_sampling(marked(tiny, "gumbel")(40), PROMPT, draws(120, 30)).p_value <= 0.001


@pytest.mark.slow
def test_a_mark_with_a_memory_is_seen_by_cache(tiny: LanguageModel, plain: Callable[[int], Ask]) -> None:
    first = marked(tiny, "unigram", delta=4.0)(3)
    asked: set[str] = set()

    def remembering(prompt: str, n: int) -> list[str]:
        """Marked until the prompt is known."""
        answers = (plain(3) if prompt in asked else first)(prompt, n)
        asked.add(prompt)
        return answers

    assert cache(remembering, PROMPT, 400).p_value <= 0.001


@pytest.mark.slow
def test_the_command_prints_a_line_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    findings: list[Finding] = []

    def once(*asked: Any) -> list[Finding]:
        """Two commands print the findings of one."""
        findings.extend([] if findings else presence(*asked))
        return findings

    monkeypatch.setattr("stela_audit.presence.presence", once)
    # Under one key in several hundred, too few numbers have answers.
    stela.create("kgw", model="tiny", key=f"{11:016x}", delta=4.0).save(tmp_path / "p.stela")
    monkeypatch.setenv("STELA_KEY", f"{11:016x}")
    asked = ("audit", "presence", "--model", "tiny", "--profile", tmp_path / "p.stela", "--queries", 140)
    done = run_cli(*asked)
    assert done.status == 0, done.err
    names = [line.partition(":")[0] for line in done.out.splitlines()]
    assert names == ["red-green, digits 1", "red-green, digits 4", "fixed-sampling", "cache"]
    assert all("p-value" in line and "140 queries" in line for line in done.out.splitlines())
    records = [json.loads(line) for line in run_cli(*asked, "--json").out.splitlines()]
    assert [record["test"] for record in records] == names
    assert records == [finding.to_dict() for finding in findings]
    assert records[0].keys() == {"test", "p_value", "queries", "used", "meaning"}


def test_what_cannot_be_read_is_refused(plain: Callable[[int], Ask]) -> None:
    assert_refused(run_cli("audit", "presence", "--model", "tiny", "--queries", 20), "numbers have 5 answers")

    def silent(prompt: str, n: int) -> list[str]:
        return [""] * n

    for wrong in (
        lambda: red_green(plain(3), 5),
        lambda: red_green(plain(3), 100, digits=5),
        lambda: red_green(silent, 100),
        lambda: fixed_sampling(silent, PROMPT, 10),
        lambda: fixed_sampling(plain(3), PROMPT, 1),
        lambda: cache(plain(3), PROMPT, 1),
    ):
        with pytest.raises(stela.StelaError) as refused:
            wrong()
        assert refused.value.hint
