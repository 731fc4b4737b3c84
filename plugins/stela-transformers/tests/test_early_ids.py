"""Ids read before the pass: the same texts and weights, and none where they do not hold any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from stela_transformers.early_ids import EarlyIds

import stela_core as stela

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

PROMPTS = torch.tensor([[5, 400, 500], [1, 700, 801]])


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    special = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    return LlamaForCausalLM(LlamaConfig(vocab_size=8192, num_key_value_heads=2, **sizes, **special)).eval()


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("learned-text", model="tiny", key=3, registry=registry, language="en")


def generated(
    model: LlamaForCausalLM, mark: stela.Watermark, early: bool, **more: Any
) -> tuple[Any, Any, list[bool]]:
    """Ids, weights, and of each step of the processor whether the ids were there."""
    processor = mark.logits_processor(record=True)
    there: list[bool] = []
    own = processor.early_ids

    class Watched(EarlyIds):
        def of(self, input_ids: torch.Tensor) -> list[list[int]] | None:
            last = super().of(input_ids)
            there.append(last is not None)
            return last

    processor.early_ids = Watched(own._count)
    criteria = {"stopping_criteria": [processor.early_ids]} if early else {}
    torch.manual_seed(4)
    ids = model.generate(
        PROMPTS,
        attention_mask=torch.ones_like(PROMPTS),
        max_new_tokens=30,
        logits_processor=[processor],
        **{"do_sample": True, **more},
        **criteria,
    )
    return ids, processor.weights, there


@pytest.mark.parametrize(
    "more", [{}, {"do_sample": False}, {"num_beams": 2}], ids=["sample", "greedy", "beams"]
)
def test_the_same_texts_and_weights(
    model: LlamaForCausalLM, mark: stela.Watermark, more: dict[str, Any]
) -> None:
    early_ids, early_weights, there = generated(model, mark, True, **more)
    late_ids, late_weights, never = generated(model, mark, False, **more)
    assert torch.equal(early_ids, late_ids)
    assert early_weights == late_weights
    assert not any(never)
    if "num_beams" not in more:  # beams change places after the criteria were asked
        assert there == [False] + [True] * (len(there) - 1)


def test_it_stops_nothing() -> None:
    stops = EarlyIds(4)(PROMPTS, torch.zeros(2, 5))
    assert stops.tolist() == [False, False]


def test_ids_of_another_tensor_or_of_one_written_into_are_not_those() -> None:
    early, ids = EarlyIds(2), PROMPTS.clone()
    assert early.of(ids) is None
    early(ids, ids)
    assert early.of(ids.clone()) is None
    early(ids, ids)
    ids[0, -1] = 9
    assert early.of(ids) is None
    early(ids, ids)
    assert early.of(ids) == [[400, 9], [700, 801]]
    assert early.of(ids) is None


def test_in_inference_mode() -> None:
    with torch.inference_mode():
        early, ids = EarlyIds(2), PROMPTS.clone()
        early(ids, ids)
        assert early.of(ids) == [[400, 500], [700, 801]]
