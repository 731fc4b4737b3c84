"""Answers alone are marked: what follows a delimiter, in any row, beam or draw."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import stela_core as stela

PROMPTS = ["The history of the city", "Many people"]
AFTER = "."
"""A delimiter that the embedded model writes soon."""


@pytest.fixture(scope="module")
def model(registry: stela.Registry) -> tuple[Any, Any]:
    loaded = stela.load_model("tiny", registry=registry)
    loaded[1].padding_side = "left"
    return loaded


def generate(model: tuple[Any, Any], processor: Any, **options: Any) -> list[list[int]]:
    prompt = model[1](PROMPTS, return_tensors="pt", padding=True, return_token_type_ids=False)
    torch.manual_seed(5)
    out = model[0].generate(
        **prompt, max_new_tokens=50, min_new_tokens=50, logits_processor=[processor], **options
    )
    ids: list[list[int]] = out[:, prompt["input_ids"].shape[1] :].tolist()
    return ids


@pytest.mark.parametrize("options", [{"do_sample": True}, {"num_beams": 3}], ids=["sample", "beams"])
@pytest.mark.parametrize("scheme", ["kgw", "gumbel"])
def test_what_follows_the_delimiter_is_marked_as_a_text_by_itself(
    registry: stela.Registry, model: tuple[Any, Any], scheme: str, options: dict[str, Any]
) -> None:
    if scheme == "gumbel" and "num_beams" in options:
        return  # nothing is drawn
    wm = stela.create(scheme, model="tiny", key=0x5EED, registry=registry)
    processor = wm.logits_processor(model[1], record=True).mark_answers(model[1], after=AFTER)
    begun = 0
    for row, ids in enumerate(generate(model, processor, **options)):
        beams = options.get("num_beams", 1)
        weights = processor.weights_of(ids, row * beams)
        dots = [number for number, token in enumerate(ids) if AFTER in model[1].decode([token])]
        start = dots[0] + 1 if dots else len(ids)
        assert weights[:start] == [None] * start
        answer = ids[start:]
        assert weights[start:] == [
            None if number < wm.profile.hasher.context_width else 1.0 for number in range(len(answer))
        ]
        begun += len(answer) > 15
        if len(answer) > 15:
            assert wm.detect_ids([answer])[0].p_value < 0.05
    assert begun


def test_a_copy_marks_answers_too(registry: stela.Registry, model: tuple[Any, Any]) -> None:
    wm = stela.create("kgw", model="tiny", key=0x5EED, registry=registry)
    first = wm.logits_processor(model[1]).mark_answers(model[1], after=AFTER)
    assert generate(model, first, do_sample=True) == generate(model, copy.copy(first), do_sample=True)
    assert generate(model, wm.logits_processor(model[1]), do_sample=True) != generate(
        model, first, do_sample=True
    )


def test_a_model_without_thoughts_is_marked_from_the_beginning(
    registry: stela.Registry, model: tuple[Any, Any]
) -> None:
    """With the delimiters of published chat templates."""
    wm = stela.create("kgw", model="tiny", key=0x5EED, registry=registry)
    plain, answers = wm.logits_processor(model[1]), wm.logits_processor(model[1]).mark_answers(model[1])
    assert generate(model, plain, do_sample=True) == generate(model, answers, do_sample=True)
