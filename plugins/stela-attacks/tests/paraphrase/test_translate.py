"""Back-translation, against a plain loop over sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
import stela_run
from stela_attacks.paraphrase import Translate
from stela_models.loaded import Models
from stela_run.testing import AttackContract

import stela_core as stela
from stela_core.api import parse_parameters

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")]

TEXTS = ["The city lies on the river. Many people live here!", "", "Is it far? It is not. Few know."]


def attack(there: Path, back: Path, **parameters: Any) -> stela_run.Attack:
    given = {"there": str(there), "back": str(back), "device": "cpu", "max_new_tokens": 8}
    return Translate(parse_parameters(Translate.Parameters, {**given, **parameters}, Translate.name))


def circumstances(registry: stela.Registry, language: str = "en", seed: int = 0) -> stela_run.Circumstances:
    return stela_run.Circumstances(language, seed, [""] * len(TEXTS), [], Models(registry))


def plain(folder: Path, texts: list[str], beams: int) -> list[str]:
    """One sentence at a time, without batches."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    found = []
    for text in texts:
        inputs = tokenizer([text], return_tensors="pt")
        ids = model.generate(**inputs, num_beams=beams, max_new_tokens=8, do_sample=False)
        found.append(tokenizer.batch_decode(ids, skip_special_tokens=True)[0].strip())
    return found


@pytest.mark.parametrize("beams", [1, 3])
def test_there_and_back(registry: stela.Registry, marian: Path, t5: Path, beams: int) -> None:
    made = attack(marian, t5, beams=beams, back_prefix="back: ")
    parts = [
        ["The city lies on the river.", "Many people live here!"],
        ["Is it far?", "It is not.", "Few know."],
    ]
    expected = []
    for run in parts:
        there = [text for text in plain(marian, run, beams) if text]
        back = plain(t5, [f"back: {text}" for text in there], beams)
        expected.append(" ".join(text for text in back if text))
    assert made.apply(TEXTS, circumstances(registry)) == [expected[0], "", expected[1]]
    assert all(expected)


class TestSampled(AttackContract):
    chosen: ClassVar[dict[str, Any]] = {"top_p": 0.9}

    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls, marian: Path) -> stela_run.Attack:
        return attack(marian, marian, **cls.chosen)

    def test_batches_do_not_matter(self, registry: stela.Registry, marian: Path) -> None:
        one, all_at_once = (attack(marian, marian, batch_size=n, **self.chosen) for n in (1, 64))
        assert one.apply(TEXTS, circumstances(registry)) == all_at_once.apply(TEXTS, circumstances(registry))


class TestBeams(TestSampled):
    draws = False
    chosen: ClassVar[dict[str, Any]] = {"beams": 2}


def test_chinese_sentences_have_no_space_between(registry: stela.Registry, marian: Path) -> None:
    text = ["The city. The river."]
    made = attack(marian, marian, beams=1)
    chinese, english = (made.apply(text, circumstances(registry, code))[0] for code in ("zh", "en"))
    assert len(english) == len(chinese) + 1


def test_too_long_for_the_model(registry: stela.Registry, marian: Path) -> None:
    long = " ".join(["river"] * 200)
    with pytest.raises(stela.StelaError, match=r"tokens, and the model takes 128\."):
        attack(marian, marian).apply([long], circumstances(registry))


def test_missing_model_in_one_line(registry: stela.Registry, marian: Path, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="cannot be loaded") as raised:
        attack(marian, tmp_path / "none").apply(TEXTS, circumstances(registry))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("wrong", [{"beams": 0}, {"there": ""}, {"top_p": 2}, {"to": "de"}])
def test_wrong_parameters(wrong: dict[str, Any]) -> None:
    given = {"there": "en-de", "back": "de-en", **wrong}
    with pytest.raises(stela.StelaError, match="paraphrase-translate"):
        parse_parameters(Translate.Parameters, given, Translate.name)


def test_models_have_to_be_named() -> None:
    with pytest.raises(stela.StelaError, match="there: field required"):
        parse_parameters(Translate.Parameters, {}, "attack")
