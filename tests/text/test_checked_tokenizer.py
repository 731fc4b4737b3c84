"""A tokenizer is compared with the profile's once; another one, or one that grew, is compared anew."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core import marking
from stela_core.text.tokenizer import check_same_vocabulary


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Tokenizer]:
    """The tokenizers that were compared, in order."""
    seen: list[Tokenizer] = []

    def compare(ours: Tokenizer, theirs: Tokenizer) -> None:
        seen.append(theirs)
        check_same_vocabulary(ours, theirs)

    monkeypatch.setattr(marking, "check_same_vocabulary", compare)
    return seen


def copy_of(tokenizer: Tokenizer) -> Tokenizer:
    return Tokenizer.from_str(tokenizer.to_str())


def mark_of(tokenizer: Tokenizer) -> stela.Watermark:
    return stela.create("kgw", tokenizer=tokenizer, key="public")


def test_compared_once(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked, first, second = mark_of(tokenizer), copy_of(tokenizer), copy_of(tokenizer)
    for _ in range(3):
        checked.check_tokenizer(first)
    assert len(compared) == 1
    for _ in range(3):
        checked.check_tokenizer(second)
    assert len(compared) == 2


def test_one_that_grew_is_compared_again(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked, model = mark_of(tokenizer), copy_of(tokenizer)
    checked.check_tokenizer(model)
    model.add_tokens(["<new>"])
    checked.check_tokenizer(model)
    checked.check_tokenizer(model)
    assert len(compared) == 2


def test_another_one_is_refused_every_time(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked = mark_of(tokenizer)
    checked.check_tokenizer(tokenizer)
    other = Tokenizer.from_str(tokenizer.to_str().replace("<pad>", "<pod>"))
    for _ in range(2):
        with pytest.raises(stela.StelaError, match="wrong tokenizer"):
            checked.check_tokenizer(other)
    checked.check_tokenizer(tokenizer)
    assert len(compared) == 3, "the right one is remembered"


def test_all_processors_of_a_watermark_share_the_memory(
    tokenizer: Tokenizer, compared: list[Tokenizer]
) -> None:
    pytest.importorskip("transformers")
    mark = mark_of(tokenizer)
    for _ in range(3):
        mark.logits_processor(tokenizer)
        mark.marker(tokenizer)
    assert len(compared) == 1
