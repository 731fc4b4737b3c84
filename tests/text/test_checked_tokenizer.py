"""A tokenizer is compared with the profile's once; another one, or one that grew, is compared anew."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.text import tokenizer as tokenizers_module
from stela_core.text.tokenizer import CheckedTokenizer, check_same_vocabulary


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Tokenizer]:
    """The tokenizers that were compared, in order."""
    seen: list[Tokenizer] = []

    def compare(ours: Tokenizer, theirs: Tokenizer) -> None:
        seen.append(theirs)
        check_same_vocabulary(ours, theirs)

    monkeypatch.setattr(tokenizers_module, "check_same_vocabulary", compare)
    return seen


def copy_of(tokenizer: Tokenizer) -> Tokenizer:
    return Tokenizer.from_str(tokenizer.to_str())


def test_compared_once(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked, first, second = CheckedTokenizer(tokenizer), copy_of(tokenizer), copy_of(tokenizer)
    for _ in range(3):
        checked.check(first)
    assert len(compared) == 1
    for _ in range(3):
        checked.check(second)
    assert len(compared) == 2


def test_one_that_grew_is_compared_again(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked, model = CheckedTokenizer(tokenizer), copy_of(tokenizer)
    checked.check(model)
    model.add_tokens(["<new>"])
    checked.check(model)
    checked.check(model)
    assert len(compared) == 2


def test_another_one_is_refused_every_time(tokenizer: Tokenizer, compared: list[Tokenizer]) -> None:
    checked = CheckedTokenizer(tokenizer)
    checked.check(tokenizer)
    other = Tokenizer.from_str(tokenizer.to_str().replace("<pad>", "<pod>"))
    for _ in range(2):
        with pytest.raises(stela.StelaError, match="wrong tokenizer"):
            checked.check(other)
    checked.check(tokenizer)
    assert len(compared) == 3, "the right one is remembered"


def test_all_processors_of_a_watermark_share_the_memory(
    tokenizer: Tokenizer, compared: list[Tokenizer]
) -> None:
    pytest.importorskip("transformers")
    mark = stela.create("kgw", tokenizer=tokenizer, key="public")
    for _ in range(3):
        mark.logits_processor(tokenizer)
        mark.marker(tokenizer)
    assert len(compared) == 1
