"""A page whose mark carries messages, from the command to the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_models.cli.demo_texts import HUMAN
from stela_testing import run_cli

import stela_core as stela
from tests.marked import golden

NEW = ["profile", "new", "--scheme", "gumbel", "--bits", "16", "--model", "tiny", "--public-key"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A profile, its page, and two texts, one with a message."""
    folder = tmp_path_factory.mktemp("messages")
    profile, page = folder / "p.stela", folder / "p.html"
    golden("gumbel-16-bits").write_profile(profile)
    assert run_cli("page", "--profile", str(profile), "-o", str(page)).status == 0
    text = golden("gumbel-16-bits").text("cafe")
    texts = {"marked": text, "human": HUMAN["en"], "mixed": f"{HUMAN['en']}\n\n{text}\n\n{HUMAN['en']}"}
    return {"profile": profile, "page": page, "texts": texts}


@pytest.mark.deep(stand_in="plugins/stela-page/tests/test_parity.py::test_few_texts_under_some_schemes_agree")
@pytest.mark.slow
def test_the_page_shows_the_message_and_its_odds(
    in_browser: Callable[..., dict[str, Any]], made: dict[str, Any]
) -> None:
    said = in_browser("messages.mjs", timeout=200, page=str(made["page"]), texts=made["texts"])
    assert said["console"] == []
    watermark = stela.load(made["profile"])
    for name, text in made["texts"].items():
        detection, seen = watermark.detect(text), said["texts"][name]
        assert seen["report"]["p_value"] == pytest.approx(detection.p_value, rel=1e-9)
        assert seen["report"]["verdict"] == detection.verdict
    passages = watermark.with_passage(watermark.detect(made["texts"]["mixed"])).passages
    seen = said["texts"]["mixed"]["report"]["marks"][0]["passages"]
    assert [one["message"]["hex"] for one in seen] == [one.message and one.message.text for one in passages]
    assert [one["message"]["hex"] for one in seen] == ["cafe"]
    for mine, theirs in zip(seen, passages, strict=True):
        assert theirs.message is not None
        assert mine["message"]["errors"] == pytest.approx(theirs.message.errors, rel=1e-9)
    assert "Message: cafe – Probability that this is wrong: at most " in said["texts"]["mixed"]["evidence"]
    message, [mark] = (
        watermark.detect(made["texts"]["marked"]).message,
        said["texts"]["marked"]["report"]["marks"],
    )
    assert message is not None
    assert (mark["message"]["hex"], mark["message"]["sure"]) == ("cafe", True)
    assert mark["message"]["error"] == pytest.approx(message.error, rel=1e-9)
    details = said["texts"]["marked"]["details"]
    assert "Messagecafe – Probability that this is wrong: at most " in details["en"]
    assert "消息cafe" in details["zh"]
    assert "메시지cafe" in details["ko"]
    assert "message" not in said["texts"]["human"]["report"]["marks"][0]
    assert "Message" not in said["texts"]["human"]["details"]["en"]


def test_a_report_says_the_message(made: dict[str, Any], tmp_path: Path) -> None:
    text, report = tmp_path / "text.txt", tmp_path / "report.html"
    text.write_text(made["texts"]["marked"], encoding="utf-8")
    assert run_cli("detect", "--profile", str(made["profile"]), str(text), "--html", str(report)).status == 0
    assert "cafe – Probability that this is wrong: at most " in report.read_text(encoding="utf-8")


def test_a_page_of_another_code_is_refused_by_its_name(made: dict[str, Any]) -> None:
    from stela_page.reproducible import refusal

    content = stela.load(made["profile"]).profile.model_dump(mode="json")
    content["message"]["code"] = "whole"
    assert refusal(content, {"model": {"type": "BPE"}}) == (
        'its messages are of code "whole", which was not carried over'
    )
