"""A stranger's tokenizer, whose ids were chosen for a text: each answer says so, and none calls it marked."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_serve.examine import Asked, Examiner, Setup

import stela_core as stela
from stela_core.api import trusted
from tests.strangers.accusing import declaration
from tests.strangers.test_tokenizers import permuted

pytestmark = pytest.mark.slow


def test_no_answer_calls_its_text_marked(registry: stela.Registry, tmp_path: Path) -> None:
    text = declaration(registry, 1000)
    archive = permuted(registry, text)
    archive.write(tmp_path / "p.stela")
    examiner = Examiner(Setup(str(tmp_path)))
    [told] = examiner.hello()["profiles"]
    assert (told["own"], "chosen by someone else" in told["caveat"]) == (False, True)
    scored = examiner.answer(Asked((text,), scores=True))
    assert (scored["is_watermarked"], scored["p_value"]) == (False, 1)
    assert "its tokenizer is not known here" in scored["caveat"]
    for windows in (False, True):
        [result] = examiner.answer(Asked((text,), windows=windows))["results"]
        assert result["p_value"] < 1e-9
        assert (result["p_chosen"], result["verdict"] == "watermarked") == (1, False)
        assert "its tokenizer is not known here" in result["caveat"]
        assert not result.get("passages")
    trusted.add(archive.profile)
    try:
        again = Examiner(Setup(str(tmp_path)))
        assert again.hello()["profiles"][0]["own"]
        scored = again.answer(Asked((text,), scores=True))
        assert scored["is_watermarked"]
        assert "caveat" not in scored
    finally:
        trusted.remove(archive.profile)
