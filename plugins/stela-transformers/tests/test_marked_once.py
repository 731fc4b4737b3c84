"""A text is marked once: a configuration and a processor, or two processors, are refused or warned of."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from transformers import LogitsProcessorList, WatermarkingConfig

import stela_core as stela

from .test_calls_of_generate import A, model_of

MODEL = model_of(0)


def marks(tokenizer: Tokenizer, key: int = 7, scheme: str = "kgw") -> stela.Watermark:
    return stela.create(scheme, tokenizer=tokenizer, key=key)


def generate(**how: Any) -> list[list[int]]:
    given = {"max_new_tokens": 6, "do_sample": True, "suppress_tokens": [0, 1], **how}
    out: list[list[int]] = MODEL.generate(torch.tensor([A, A]), **given).tolist()
    return out


WAYS: dict[str, dict[str, Any]] = {"sampling": {}, "greedy": {"do_sample": False}, "beams": {"num_beams": 2}}


@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("twice", ["processors", "two profiles", "config"])
def test_twice_under_one_key_is_refused(tokenizer: Tokenizer, twice: str, how: dict[str, Any]) -> None:
    wm = marks(tokenizer)
    first = wm.logits_processor()
    second = {
        "processors": wm.logits_processor(),
        "two profiles": stela.create("kgw", tokenizer=tokenizer, key=7, delta=3.0).logits_processor(),
        "config": None,
    }[twice]
    given: dict[str, Any] = {"logits_processor": [first, second]}
    if second is None:
        given = {"logits_processor": [first], "watermarking_config": wm.watermarking_config()}
    with pytest.raises(stela.StelaError, match="marks its texts twice under one key"):
        generate(**given, **how)
    # The same processor is not refused afterwards, where it is alone.
    generate(logits_processor=[first], **how)


def test_rows_of_keys_and_loops_of_ones_own(tokenizer: Tokenizer) -> None:
    wm = marks(tokenizer)
    rows = wm.logits_processor(keys=[8, 7])
    with pytest.raises(stela.StelaError, match="twice under one key"):
        generate(logits_processor=[rows, wm.logits_processor()])
    both = LogitsProcessorList([wm.logits_processor(), wm.logits_processor()])
    with pytest.raises(stela.StelaError, match="twice under one key"):
        both(torch.tensor([A]), torch.zeros(1, 400))


def test_two_different_marks_are_warned_of(tokenizer: Tokenizer) -> None:
    one, other = marks(tokenizer), marks(tokenizer, key=8)
    with pytest.warns(UserWarning, match="2 marks under different keys") as caught:
        generate(logits_processor=[one.logits_processor(), other.logits_processor()])
    assert len([each for each in caught if "more than one mark" in str(each.message)]) <= 2
    with pytest.warns(UserWarning, match="transformers' WatermarkLogitsProcessor"):
        generate(logits_processor=[one.logits_processor()], watermarking_config=WatermarkingConfig(bias=2.0))


def test_one_mark_is_not_warned_of(tokenizer: Tokenizer) -> None:
    """Reused over calls, and with an assistant that drafts under the same mark."""
    wm = marks(tokenizer)
    shared = wm.logits_processor()
    assistant = model_of(1)
    prompt = torch.tensor([A])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*more than one mark.*")
        for _ in range(2):
            generate(logits_processor=[shared])
            generate(logits_processor=[shared, shared])  # transformers takes it once
            generate(watermarking_config=wm.watermarking_config())
        for given in ({"logits_processor": [shared]}, {"watermarking_config": wm.watermarking_config()}):
            MODEL.generate(prompt, assistant_model=assistant, max_new_tokens=6, do_sample=False, **given)
