"""Words of a masked model, against transformers' own pipeline, and the walk that is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import stela_run
from stela_attacks.paraphrase import Masked, Walk
from stela_attacks.paraphrase.loading import load
from stela_attacks.paraphrase.masked_words import Gap, offers
from stela_attacks.paraphrase.walk import mean_log_probability
from stela_models.loaded import Models
from stela_run.testing import AttackContract
from stela_run.words import WORD, Pieces, alone

import stela_core as stela
from stela_core.api import parse_parameters

pytestmark = pytest.mark.slow

TEXTS = [
    "The city lies on the river. Many people LIVE here!",
    "",
    "Is it far? It is not. Few know 42.",
    "城市很大。",
]


@pytest.fixture(params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest) -> Path:
    path: Path = request.getfixturevalue(request.param)
    return path


def attack(kind: type[stela_run.Attack], folder: Path, **parameters: Any) -> stela_run.Attack:
    given = {"model": str(folder), "device": "cpu", **parameters}
    return kind(parse_parameters(kind.Parameters, given, kind.name))


def circumstances(registry: stela.Registry, texts: list[str], seed: int = 0) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", seed, ["Once"] * len(texts), [], Models(registry, "cpu"))


def test_offers_are_those_of_the_pipeline(folder: Path) -> None:
    """``fill-mask`` of transformers, one word at a time, without what is no other word."""
    import transformers

    loaded = load(str(folder), str(folder), "AutoModelForMaskedLM", "cpu", None)
    fill = transformers.pipeline("fill-mask", model=loaded.model, tokenizer=loaded.tokenizer, top_k=25)
    gaps = [
        Gap(pieces, n) for text in TEXTS for pieces in [Pieces.of(text)] for n in range(len(pieces.words))
    ]
    some = 0
    for gap, offered in zip(gaps, offers(loaded, gaps, 25, 400, 7), strict=True):
        masked = "".join(
            part
            for n, before in enumerate(gap.pieces.gaps)
            for part in (
                before,
                fill.tokenizer.mask_token if n == gap.place else "".join(gap.pieces.words[n : n + 1]),
            )
        )
        likely = [one["token_str"].strip() for one in fill(masked)]
        same = [word for word in likely if WORD.fullmatch(word) and any(map(str.isalpha, word))]
        same = [
            word for word in same if word.casefold() != gap.word.casefold() and alone(word) == alone(gap.word)
        ]
        assert [word.casefold() for word in offered] == [word.casefold() for word in same]
        assert all(word.isupper() or not gap.word.isupper() or len(gap.word) == 1 for word in offered)
        some += bool(offered)
    assert some > len(gaps) / 2


def test_the_share_of_words_is_another(registry: stela.Registry, folder: Path) -> None:
    """Each at its place; what is not a word stays."""
    for share in (0.0, 0.5, 1.0):
        changed = attack(Masked, folder, share=share, candidates=200).apply(
            TEXTS, circumstances(registry, TEXTS)
        )
        for text, new in zip(TEXTS, changed, strict=True):
            old, own = Pieces.of(text), Pieces.of(new)
            assert own.gaps == old.gaps
            others = sum(a != b for a, b in zip(old.words, own.words, strict=True))
            assert others <= int(share * len(old.words) + 0.5)
            assert "42" not in text or "42" in new
        assert (changed == TEXTS) == (share == 0)


def test_a_long_text_is_read_in_part(registry: stela.Registry, folder: Path) -> None:
    """Models take so many tokens: what stands around a word is cut, the text is not."""
    long = [" ".join(TEXTS[:1] * 40)]
    [changed] = attack(Masked, folder, share=0.05).apply(long, circumstances(registry, long))
    assert len(Pieces.of(changed).words) == len(Pieces.of(long[0]).words)
    assert changed != long[0]


def test_the_walk_keeps_the_quality(registry: stela.Registry, folder: Path) -> None:
    """No text falls below its threshold; with no tolerance at all less is changed."""
    judge = Models(registry, "cpu").load("tiny-small")
    ends = {}
    for tolerance in (0.0, 1.0):
        made = attack(Walk, folder, steps=12, quality="tiny-small", tolerance=tolerance, candidates=100)
        ends[tolerance] = made.apply(TEXTS, circumstances(registry, TEXTS))
        for text, end in zip(TEXTS, ends[tolerance], strict=True):
            before, after = (mean_log_probability(judge, "Once", one) for one in (text, end))
            assert after >= before - tolerance - 1e-5
    assert ends[1.0] != TEXTS
    assert ends[0.0] != ends[1.0]


def test_the_mean_is_that_of_the_model_s_loss(registry: stela.Registry) -> None:
    import torch

    judge = Models(registry, "cpu").load("tiny-small")
    model, tokenizer = judge
    before = tokenizer("Once upon", add_special_tokens=True)["input_ids"]
    own = tokenizer(" a time there was a king.", add_special_tokens=False)["input_ids"]
    labels = torch.tensor([[-100] * len(before) + own])
    with torch.no_grad():
        loss = float(model(torch.tensor([before + own]), labels=labels).loss)
    assert mean_log_probability(judge, "Once upon", " a time there was a king.") == pytest.approx(
        -loss, abs=1e-5
    )
    assert mean_log_probability(judge, "Once upon", "") == 0


class TestMasked(AttackContract):
    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls, bert: Path) -> stela_run.Attack:
        return attack(Masked, bert)


class TestWalk(AttackContract):
    @pytest.fixture(scope="class")
    @classmethod
    def attack(cls, bert: Path) -> stela_run.Attack:
        return attack(Walk, bert, steps=4, quality="tiny-small", tolerance=5.0)


def test_no_masked_model_is_one_line(registry: stela.Registry, t5: Path) -> None:
    with pytest.raises(stela.StelaError) as refused:
        attack(Masked, t5).apply(TEXTS, circumstances(registry, TEXTS))
    assert "\n" not in str(refused.value)
