"""What may be given to be tested, and how what may not is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.watermark import Watermark

SCHEMES = ["kgw", "stela", "unigram", "sweet", "ewd", "morphmark"]


def watermark(registry: stela.Registry, scheme: str) -> Watermark:
    tagger = make_tagger(registry, "penn") if scheme == "stela" else None
    made = Settings(scheme).create(registry, load_tokenizer(registry, "tiny"), 7, public=True, tagger=tagger)
    return Watermark(made.archive, None, registry)


@pytest.fixture(scope="module")
def kgw(registry: stela.Registry) -> Watermark:
    return watermark(registry, "kgw")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_empty_text_is_insufficient_and_leaves_the_others(registry: stela.Registry, scheme: str) -> None:
    mark = watermark(registry, scheme)
    model = load_model(registry, "tiny", "cpu") if mark.needs_model_to_detect else None
    texts = [ENGLISH * 3, "", ENGLISH]
    before, empty, after = mark.detect_many(texts, model)
    assert (empty.verdict, empty.p_value, empty.scored_tokens) == ("insufficient text", 1.0, 0)
    assert empty.tokens == []
    assert mark.with_passage(empty).verdict == "insufficient text"
    assert [before.scored_tokens, after.scored_tokens] == [
        found.scored_tokens for found in mark.detect_many([ENGLISH * 3, ENGLISH], model)
    ]
    assert [found.verdict for found in mark.detect_many(["", ""], model)] == ["insufficient text"] * 2


def test_one_empty_text_and_no_text(kgw: Watermark) -> None:
    assert kgw.detect("").verdict == "insufficient text"
    assert kgw.detect_many([]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "text 3 is a NoneType, not a str."),
        (b"bytes", "text 3 is a bytes, not a str."),
        (7, "text 3 is a int, not a str."),
        (float("nan"), "text 3 is a float, not a str."),
        (["nested"], "text 3 is a list, not a str."),
        ("a\ud800", "text 3 is not well-formed unicode: lone surrogate at character 1."),
    ],
)
def test_a_text_that_cannot_be_tested_is_named(kgw: Watermark, text: Any, message: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        kgw.detect_many(["fine", ENGLISH, text])
    assert caught.value.message == message
    assert caught.value.hint
    with pytest.raises(stela.StelaError, match=r"^the text is "):
        kgw.detect(text)


def test_token_ids_are_sent_to_detect_ids(kgw: Watermark) -> None:
    for test in (lambda: kgw.detect([1, 2, 3]), lambda: kgw.detect_many([[1, 2], [3]])):  # type: ignore
        with pytest.raises(stela.StelaError, match="detect_ids tests lists of token ids"):
            test()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (ENGLISH, "texts is one str, not a list of them."),
        (b"bytes", "texts is one bytes, not a list of them."),
        (None, "texts is a NoneType, not a list of str."),
        (5, "texts is a int, not a list of str."),
    ],
)
def test_a_single_text_is_no_list_of_its_characters(kgw: Watermark, texts: Any, message: str) -> None:
    with pytest.raises(stela.StelaError) as caught:
        kgw.detect_many(texts)
    assert caught.value.message == message
    assert "[text]" in caught.value.hint


def test_texts_may_come_from_any_iterable(kgw: Watermark) -> None:
    wanted = kgw.detect_many([ENGLISH, "a"])
    assert kgw.detect_many(text for text in [ENGLISH, "a"]) == wanted
    assert kgw.detect_many(np.array([ENGLISH, "a"])) == wanted


@pytest.mark.slow
def test_prompts_are_checked_like_texts(registry: stela.Registry) -> None:
    mark, model = watermark(registry, "ewd"), load_model(registry, "tiny", "cpu")
    for prompts, message in (
        ([None, "a"], "prompt 1 is a NoneType, not a str"),
        (["a", "\ud800"], "prompt 2 is not well-formed unicode"),
        ("ab", "prompts is one str"),
    ):
        with pytest.raises(stela.StelaError, match=message):
            mark.detect_many([ENGLISH, ENGLISH], model, prompts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ids", ["text", [1.5, 2.5], ["a"], [None], None, [[1, 2], [3]], [2**64], [2**63]], ids=repr
)
def test_ids_that_are_none_are_named(kgw: Watermark, ids: Any) -> None:
    with pytest.raises(stela.StelaError, match=r"text 2 is a .* token ids"):
        kgw.detect_ids([[1, 2, 3], ids])


def test_ids_of_any_integer_type_are_taken(kgw: Watermark) -> None:
    ids = list(range(300, 400))
    wanted = kgw.detect_ids([ids])
    for kind in (np.uint16, np.int32, np.int64, np.uint64):
        assert kgw.detect_ids([np.array(ids, dtype=kind)]) == wanted
    assert kgw.detect_ids([[]])[0].verdict == "insufficient text"
