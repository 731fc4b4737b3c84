"""Dipper, against the authors' loop on one text at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import stela_run
from stela_attacks.paraphrase import Dipper
from stela_attacks.paraphrase.dipper import dipper_input
from stela_attacks.paraphrase.sentences import sentences, windows
from stela_models.loaded import Models
from stela_run.testing import AttackContract

import stela_core as stela
from stela_core.api import parse_parameters

pytestmark = pytest.mark.slow

TEXTS = [
    "The city lies on the river. Many people live here. It is old. Few of them own a car.\nIs it far?",
    "Nobody knows why the bridges are closed.",
    "",
    "Is it far? It is not. The water is high! Some say so.",
]
PROMPTS = ["In spring", "Some  say\nthat", "The mayor", ""]
ALMOST_GREEDY = 1e-9
"""A nucleus of one token."""


def attack(folder: Path, **parameters: Any) -> stela_run.Attack:
    given = {"model": str(folder), "tokenizer": str(folder), "device": "cpu", "max_new_tokens": 10}
    return Dipper(parse_parameters(Dipper.Parameters, {**given, **parameters}, Dipper.name))


def circumstances(
    registry: stela.Registry, prompts: list[str] = PROMPTS, seed: int = 0
) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", seed, prompts, [], Models(registry))


def authors_loop(folder: Path, text: str, prefix: str, lexical: int, order: int, size: int) -> str:
    """The algorithm of Krishna et al., greedy, as their README describes it."""
    import torch
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    context = " ".join(prefix.split())
    parts = sentences(" ".join(text.split()))
    output = ""
    for start in range(0, len(parts), size):
        given = f"lexical = {100 - lexical}, order = {100 - order}"
        if context:
            given += f" {context}"
        given += f" <sent> {' '.join(parts[start : start + size])} </sent>"
        with torch.inference_mode():
            ids = model.generate(
                **tokenizer([given], return_tensors="pt"), do_sample=False, max_new_tokens=10
            )
        written = tokenizer.batch_decode(ids, skip_special_tokens=True)[0].strip()
        context += f" {written}"
        # Theirs has two spaces where nothing was written; the tokenizer makes one of them.
        output += f" {written}" if written else ""
    return output.strip()


@pytest.mark.deep(keep=["40-60-2"])
@pytest.mark.parametrize(("lexical", "order", "size"), [(10, 0, 3), (20, 0, 3), (40, 60, 2), (50, 100, 1)])
def test_is_the_authors_loop(registry: stela.Registry, t5: Path, lexical: int, order: int, size: int) -> None:
    made = attack(t5, lexical=lexical, order=order, sentences=size, top_p=ALMOST_GREEDY)
    expected = [
        authors_loop(t5, text, prompt, lexical, order, size)
        for text, prompt in zip(TEXTS, PROMPTS, strict=True)
    ]
    assert made.apply(TEXTS, circumstances(registry)) == expected
    assert [bool(text) for text in expected] == [True, True, False, True]


def test_inputs_by_hand() -> None:
    assert dipper_input(40, 0, [], "It is old.") == "lexical = 60, order = 100 <sent> It is old. </sent>"
    assert (
        dipper_input(20, 60, ["In spring", "", "it rains."], "It is old. Few know.")
        == "lexical = 80, order = 40 In spring it rains. <sent> It is old. Few know. </sent>"
    )


@pytest.mark.deep(stand_in="test_is_the_authors_loop")
class TestDipper(AttackContract):
    longest = 2_000

    @pytest.fixture(scope="class", params=[1, 2, 64])
    @classmethod
    def attack(cls, t5: Path, request: pytest.FixtureRequest) -> stela_run.Attack:
        return attack(t5, batch_size=request.param)


@pytest.mark.deep(stand_in="test_is_the_authors_loop")
def test_batches_do_not_matter(registry: stela.Registry, t5: Path) -> None:
    one, all_at_once = (attack(t5, batch_size=n).apply(TEXTS, circumstances(registry)) for n in (1, 64))
    assert one == all_at_once


def test_the_prompt_is_context(registry: stela.Registry, t5: Path) -> None:
    with_it = attack(t5, top_p=ALMOST_GREEDY).apply(TEXTS, circumstances(registry))
    without = attack(t5, top_p=ALMOST_GREEDY, prompt=False).apply(TEXTS, circumstances(registry))
    assert with_it[:3] != without[:3]
    assert with_it[3] == without[3], "it has no prompt"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Smith came on Jan. 5. He left.", ["Mr. Smith came on Jan. 5.", "He left."]),
        ("Is it 3.5? Yes! No.", ["Is it 3.5?", "Yes!", "No."]),
        ('He said "Go." Then he went', ['He said "Go."', "Then he went"]),
        ("人人生而自由。真的吗？“是！”他说。", ["人人生而自由。", "真的吗？", "“是！”", "他说。"]),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_windows() -> None:
    text = "It is far.  It is not.\nIs it? Few know."
    assert windows(text, 3) == ["It is far. It is not. Is it?", "Few know."]
    assert windows(text, 4) == ["It is far. It is not. Is it? Few know."]
    assert windows("", 3) == []


def test_missing_model_in_one_line(
    registry: stela.Registry, t5: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    for wrong, named in [
        ({"tokenizer": "google/t5-v1_1-xxl"}, "hf download google/t5-v1_1-xxl"),
        ({"model": "kalpeshk2011/dipper-paraphraser-xxl"}, "hf download kalpeshk2011/dipper-paraphraser-xxl"),
        ({"model": str(tmp_path / "none")}, "save_pretrained"),
        ({"device": "cuda:99"}, 'device "cuda:99" cannot be used'),
        ({"device": "gpu"}, 'device "gpu" cannot be used'),
    ]:
        with pytest.raises(stela.StelaError, match=named) as raised:
            attack(t5, **wrong).apply(TEXTS, circumstances(registry))
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "wrong", [{"lexical": 101}, {"order": -1}, {"top_p": 0}, {"dtype": "int8"}, {"l": 1}]
)
def test_wrong_parameters(t5: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(stela.StelaError, match="paraphrase-dipper"):
        attack(t5, **wrong)


def test_defaults_are_the_authors(registry: stela.Registry) -> None:
    found = registry.get(stela_run.Attack, "paraphrase-dipper")
    chosen = Dipper.Parameters()
    assert found.languages == {"en"}
    assert chosen.model_dump() | {"lexical": 40, "order": 0} == chosen.model_dump()
    assert (chosen.sentences, chosen.top_p) == (3, 0.75)
    assert (chosen.model, chosen.tokenizer) == (
        "kalpeshk2011/dipper-paraphraser-xxl",
        "google/t5-v1_1-xxl",
    )
