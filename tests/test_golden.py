"""The texts of tests/golden are found as they were, and are what the embedded model writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_testing import run_cli

from scripts.write_golden import ORDERS, answers, write
from tests.marked import ANSWERS, FOLDER, golden, golden_answers

WITHOUT_A_MODEL = [name for name, order in ORDERS.items() if not order.weighed_by_a_model]


def test_each_file_is_of_an_order() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {ANSWERS} | {f"{name}.jsonl" for name in ORDERS}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_A_MODEL)
def test_detection_says_what_it_said(name: str, tmp_path: Path) -> None:
    """The same numbers, and of a message the same bits."""
    texts = golden(name).texts
    profile, file = golden(name).write_profile(tmp_path / "p.stela"), tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps(one["record"]) + "\n" for one in texts), encoding="utf-8")
    found = run_cli("detect", "--profile", profile, file, "--json").json
    for one, now in zip(texts, found, strict=True):
        then = dict(one["detection"])
        assert now["verdict"] == then.pop("verdict") == "watermarked"
        assert now["z"] == pytest.approx(then.pop("z"), rel=1e-9)
        assert now["p_value"] == pytest.approx(then.pop("p_value"), rel=1e-6)
        if message := then.pop("message", None):
            assert now["message"]["hex"] == message["hex"] == one["record"]["message"]
            assert now["message"]["sure"] == message["sure"]
        assert not then


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.deep(stand_in="tests/test_golden.py::test_detection_says_what_it_said")
@pytest.mark.parametrize("name", ORDERS)
def test_the_embedded_model_writes_them(name: str, tmp_path: Path) -> None:
    write(tmp_path, [name])
    lines = (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    kept = golden(name)
    assert json.loads(lines[0]) == {"new": kept.new}
    for line, one in zip(lines[1:], kept.texts, strict=True):
        assert json.loads(line)["record"] == one["record"]
        assert json.loads(line)["detection"]["z"] == pytest.approx(one["detection"]["z"], rel=1e-9)


@pytest.mark.once
@pytest.mark.slow
@pytest.mark.deep(stand_in="plugins/stela-audit/tests/test_presence.py::test_red_green_holds_without_a_mark")
def test_the_embedded_model_gives_these_answers() -> None:
    assert answers() == golden_answers()
