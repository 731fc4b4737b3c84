"""The attack as a run meets it: marked texts in, forged ones out, tested with the key it never saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import stela_run
import torch
from pydantic import ValidationError
from stela_attacks.steal import Steal
from stela_attacks.steal.beliefs import Assumed, Beliefs, Place
from stela_attacks.steal.forge import Believed, Force
from stela_corpora import TextSource
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models
from stela_run.testing import AttackContract

import stela_core as stela

pytestmark = pytest.mark.slow

LENGTH = 60
LEARNED = 20
KEY = "eb85e1b5530da896"


class Marked:
    """Texts of one key, what is public of it, and its secret detector."""

    def __init__(self, registry: stela.Registry, name: str, width: int | None) -> None:
        source = registry.get(TextSource, "sample").location("en")
        rows = [json.loads(line) for line in Path(source).read_text(encoding="utf-8").splitlines()]
        self.prompts = [row["prompt"] for row in rows[: LEARNED + 8]]
        models = Models(registry, "cpu")
        mark = stela.create(
            name,
            model="tiny-small",
            delta=2.0,
            context_width=width,
            key=KEY,
            language="en",
            registry=registry,
        )
        sampling = Sampling(LENGTH, LENGTH, 0.7, 3)
        batches = generate(mark, models.load("tiny-small"), self.prompts, sampling, 50)
        self.texts = [one.text for batch in batches for one in batch]
        self.detector = mark.detector
        hidden = mark.profile.hasher.model_copy(update={"key": None})
        profile = mark.profile.model_copy(update={"hasher": hidden})
        human = [row["continuation"] for row in rows]
        self.circumstances = stela_run.Circumstances(
            "en", 1, self.prompts, human, models, model="tiny-small", profile=profile
        )

    def forge(self, **parameters: Any) -> list[str]:
        return Steal(Steal.Parameters(**parameters)).apply(self.texts, self.circumstances)

    def z(self, texts: list[str]) -> float:
        return float(np.mean([found.z for found in self.detector.detect_many(texts)]))


@pytest.fixture(scope="module")
def kgw(registry: stela.Registry) -> Marked:
    return Marked(registry, "kgw", 1)


@pytest.fixture(scope="module")
def forged(kgw: Marked) -> list[str]:
    return kgw.forge(texts=LEARNED)


class TestSteal(AttackContract):
    odd: ClassVar[list[str]] = ["", "..."]
    longest = 2_000

    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls) -> Steal:
        return Steal(Steal.Parameters(texts=LEARNED))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls, kgw: Marked) -> list[str]:
        return kgw.texts

    @pytest.fixture(scope="class")
    @classmethod
    def circumstances(cls, kgw: Marked) -> stela_run.Circumstances:
        return kgw.circumstances


def test_forged_with_no_key(kgw: Marked, forged: list[str]) -> None:
    """Mean z over 8 texts of 60 tokens: about 4 forged, about 0 where what was learned is not used."""
    assert len(forged) == 8
    assert not set(forged) & set(kgw.texts)
    plain = kgw.forge(texts=LEARNED, strength=0.0, steering=0.0)
    # The mean of 8 values of sd 1 has sd 0.35.
    assert kgw.z(forged) > 2.5
    assert abs(kgw.z(plain)) < 1.5
    tokenizer = kgw.circumstances.models.load("tiny-small").tokenizer
    lengths = [len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in forged]
    assert lengths == pytest.approx([LENGTH] * 8, abs=8)


def test_human_text_will_do_as_the_base(kgw: Marked) -> None:
    assert kgw.z(kgw.forge(texts=LEARNED, base="human")) > 2.0


def test_a_wrong_width_learns_nothing(kgw: Marked, forged: list[str]) -> None:
    assert kgw.z(kgw.forge(texts=LEARNED, width=4, steering=0.0)) < kgw.z(forged) - 1.0


def test_the_width_of_the_profile_is_taken(registry: stela.Registry) -> None:
    unigram = Marked(registry, "unigram", None)
    assert unigram.z(unigram.forge(texts=LEARNED)) > 2.5


def test_texts_set_aside_are_not_forged(kgw: Marked) -> None:
    attack = Steal(Steal.Parameters(texts=10, aside=25))
    assert attack.studied == 25
    assert Steal(Steal.Parameters(texts=10)).studied == 10
    assert len(attack.apply(kgw.texts, kgw.circumstances)) == 3


def test_what_is_missing_is_named(registry: stela.Registry) -> None:
    alone = stela_run.Circumstances("en", 1, ["a", "b"], [], Models(registry))
    with pytest.raises(stela.StelaError, match="needs the model and the profile"):
        Steal(Steal.Parameters(texts=1)).apply(["one", "two"], alone)


def test_human_text_is_asked_for(kgw: Marked) -> None:
    from dataclasses import replace

    bare = replace(kgw.circumstances, human=[])
    with pytest.raises(stela.StelaError, match='base = "human" needs human text'):
        Steal(Steal.Parameters(texts=LEARNED, base="human")).apply(kgw.texts, bare)


@pytest.mark.parametrize("wrong", [{"texts": 0}, {"strength": -1}, {"width": 9}, {"base": "web"}, {"n": 1}])
def test_wrong_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Steal.Parameters(**wrong)


def test_bias_follows_beliefs() -> None:
    """After (1, 2): 5 drawn, 6 likely but not drawn; 2 after 1 leads to the known context."""
    learned = Beliefs.learn([Place((1, 2), 5, np.array([6]), np.array([0.5]))], 2, Assumed(0.5, 2.0))
    add = Believed(learned, Force(strength=8.0, steering=3.0, temperature=1.0))
    scores = torch.zeros(3, 8)
    out = add(torch.tensor([[0, 1, 2], [0, 0, 1], [5, 5, 5]]), scores)
    assert not scores.any()
    assert set(out[0].nonzero()[:, 0].tolist()) == {5, 6}
    # No probability was known of 5, so that it was drawn is all: log odds 2.
    assert out[0, 5].item() == pytest.approx(8 * np.tanh(1.0), rel=1e-6)
    assert out[0, 6].item() < 0
    assert out[1].tolist() == [0, 0, 3, 0, 0, 0, 0, 0]
    assert not out[2].any()


def test_one_green_list_needs_no_context() -> None:
    learned = Beliefs.learn([Place((), 5, np.zeros(0, np.int64), np.zeros(0))], 0, Assumed(0.5, 2.0))
    out = Believed(learned, Force(8.0, 3.0, 1.0))(torch.tensor([[1], [2]]), torch.zeros(2, 8))
    assert out.nonzero().tolist() == [[0, 5], [1, 5]]
