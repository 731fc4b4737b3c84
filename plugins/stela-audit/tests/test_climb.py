"""Forging by a real detector's answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_audit.climb import TARGET, Answers, climb, told
from stela_testing import assert_refused, run_cli

import stela_core as stela


@pytest.fixture(scope="module")
def kgw() -> stela.Watermark:
    return stela.create("kgw", model="tiny", key="public")


@given(p=st.floats(1e-200, 1), q=st.floats(1e-200, 1))
def test_what_is_told_orders_texts_as_p_values_do(p: float, q: float) -> None:
    for answers in ("full", "coarse", "yes-no"):
        if p <= q:
            assert told(p, answers, 0.001) >= told(q, answers, 0.001)
    assert told(p, "coarse", 0.001) <= told(p, "full", 0.001) + 1e-9 < told(p, "coarse", 0.001) + 1 + 1e-6
    assert told(p, "yes-no", 0.001) == (p <= 0.001)


@pytest.mark.parametrize("answers", ["full", "coarse"])
def test_answers_forge_a_text(kgw: stela.Watermark, answers: Answers) -> None:
    asked: list[str] = []

    def detect(text: str) -> float:
        asked.append(text)
        return kgw.detect(text).p_value

    one = climb(detect, answers, np.random.default_rng(4), most=2000)
    assert one.p_value <= TARGET
    assert one.queries == len(asked)
    assert kgw.detect(one.text).p_value == one.p_value
    assert len(one.text.split()) == 20


def test_it_gives_up(kgw: stela.Watermark) -> None:
    one = climb(lambda text: kgw.detect(text).p_value, "yes-no", np.random.default_rng(0), most=3)
    assert one.queries == 3
    assert one.p_value > TARGET


def test_the_command_counts_queries(kgw: stela.Watermark, tmp_path: Path) -> None:
    kgw.save(tmp_path / "p.stela")
    asked = ("audit", "forge", "--profile", tmp_path / "p.stela", "--runs", 2)
    done = run_cli(*asked)
    assert done.out.startswith("full: 2 of 2 texts of 20 words forged: "), done.err
    records = [json.loads(line) for line in run_cli(*asked, "--json").out.splitlines()]
    assert [record["forged"] for record in records] == [True, True]
    assert run_cli(*asked, "--queries", 1).out == "full: 0 of 2 texts of 20 words forged\n"
    median = sum(record["queries"] for record in records) / 2
    costly = run_cli(*asked, "--rate", median, "--price", 0.02).out
    assert costly.endswith(f", 1 minutes, a price of {median / 50:.2f}\n")


def test_refused(kgw: stela.Watermark, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="too few"):
        climb(lambda text: 1.0, "full", np.random.default_rng(), words=["one"])
    assert_refused(run_cli("audit", "forge", "--profile", tmp_path / "none.stela"), "none.stela")
