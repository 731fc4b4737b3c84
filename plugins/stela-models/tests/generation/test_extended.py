"""A model whose tokenizer has tokens at the end that the profile does not know."""

from __future__ import annotations

import pytest
import torch
from stela_models.generation.generate import Sampling, generate
from stela_testing.texts import ENGLISH, KOREAN
from tokenizers import AddedToken, Tokenizer

import stela_core as stela
from stela_core.interfaces.logits import LanguageModel
from stela_core.text.tokenizer import check_same_vocabulary

ADDED = 60


def copy_of(tokenizer: Tokenizer) -> Tokenizer:
    return Tokenizer.from_str(tokenizer.to_str())


@pytest.fixture(scope="module")
def extended(tokenizer: Tokenizer) -> LanguageModel:
    """Random weights: one token in eight is an added one; the last two of those are special, one the end."""
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    size = tokenizer.get_vocab_size()
    made = copy_of(tokenizer)
    made.add_tokens([f"<note{number}>" for number in range(ADDED - 2)])
    made.add_special_tokens([AddedToken("<stop>"), AddedToken("<blank>")])
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=size + ADDED,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        bos_token_id=0,
        eos_token_id=size + ADDED - 2,
        pad_token_id=size + ADDED - 1,
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made, padding_side="left", eos_token="<stop>", pad_token="<blank>"
    )
    return LanguageModel(LlamaForCausalLM(config).eval(), fast)


@pytest.mark.slow
def test_added_tokens_are_neither_marked_nor_scored(
    tokenizer: Tokenizer, extended: LanguageModel, registry: stela.Registry
) -> None:
    size = tokenizer.get_vocab_size()
    mark = stela.create("kgw", tokenizer=tokenizer, key=3, registry=registry)
    sampling = Sampling(max_new_tokens=80, temperature=1.0, seed=1)
    texts = [one for batch in generate(mark, extended, [ENGLISH, KOREAN] * 8, sampling, 8) for one in batch]
    added = 0
    for one, found in zip(texts, mark.detect_ids([one.token_ids for one in texts]), strict=True):
        assert [token.weight for token in found.tokens][1:] != []
        for place, (token, entry) in enumerate(zip(one.token_ids, found.tokens, strict=True)):
            assert token not in (size + ADDED - 2, size + ADDED - 1)
            before = one.token_ids[place - 1] if place else size
            # Marked by what stands before it, where it is itself a known token.
            unmarked = max(token, before) >= size or before in mark.tokens.special
            assert (one.weights[place] is None) == unmarked
            if token < size:
                assert entry.weight == one.weights[place]
            else:
                assert entry.weight is None
                assert f"<note{token - size}>" in one.text
                added += 1
        assert "<stop>" not in one.text
    assert added >= 5  # about 30


def test_no_bias_on_added_ids(tokenizer: Tokenizer, registry: stela.Registry) -> None:
    size = tokenizer.get_vocab_size()
    mark = stela.create("kgw", tokenizer=tokenizer, key=3, registry=registry)
    made = copy_of(tokenizer)
    made.add_tokens(["<more>"])
    processor = mark.logits_processor(made)
    ids = torch.tensor([tokenizer.encode(ENGLISH).ids])
    processor(ids[:, :5], torch.zeros(1, size + 8))
    bias = processor(ids[:, :6], torch.zeros(1, size + 8))
    assert bias[:, :size].any()
    assert not bias[:, size:].any()


def test_what_is_refused(tokenizer: Tokenizer) -> None:
    longer = copy_of(tokenizer)
    longer.add_tokens(["<more>"])
    check_same_vocabulary(tokenizer, longer)
    size = tokenizer.get_vocab_size()
    with pytest.raises(
        stela.StelaError, match=f"the profile's has {size + 1} tokens, the model's has {size}"
    ):
        check_same_vocabulary(longer, tokenizer)
    changed = copy_of(longer)
    other = Tokenizer.from_str(changed.to_str().replace("<pad>", "<bad>"))
    with pytest.raises(stela.StelaError, match=r"id 1 is '<pad>' in the profile and '<bad>' in the model"):
        check_same_vocabulary(tokenizer, other)
