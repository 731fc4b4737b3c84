"""The class itself, on stand-ins for vLLM's two interfaces."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from stela_models.tokenizer import load_tokenizer

import stela_core as stela

from .conftest import Made, Start, logits_of
from .stand_in import (
    BatchUpdate,
    LogitsContext,
    RowProcessor,
    SamplingParams,
    SlotProcessor,
    config,
    states,
)


def test_one_class_for_both_runners(start: Start, made: Made) -> None:
    processor = start()
    assert issubclass(processor, RowProcessor)
    assert issubclass(processor, SlotProcessor)
    assert (processor.__module__, processor.__qualname__) == ("stela_vllm.processor", "Processor")
    output, scores = made.ids[:4], logits_of(1, 0)
    wanted = made.wanted(SamplingParams(extra_args={"stela": "kgw"}), output, scores[0])

    rows = processor(config(), torch.device("cpu"), False)
    assert not rows.is_argmax_invariant()
    rows.update_state(BatchUpdate(1, [], [(0, SamplingParams(), [9, 9], output)], []))
    assert torch.equal(rows.apply(scores.clone())[0], wanted)

    held = states(4, 16)
    held.prompt_len.np[2] = held.prefill_len.np[2] = 2
    held.all_token_ids.gpu[2, :6] = torch.tensor([9, 9, *output])
    slots = processor(config(), held)
    assert slots.add_request(2, SamplingParams())
    slots.apply_staged_writes()
    one, two = torch.tensor([2]), np.array([2])
    step = LogitsContext(one, one, two, torch.tensor([0]), one, torch.tensor([5]), np.array([6]))
    assert torch.equal(slots.apply(scores.clone(), step)[0], wanted)


def test_a_vllm_of_one_runner(start: Start) -> None:
    processor = start(slots=False)
    assert issubclass(processor, RowProcessor)
    assert not issubclass(processor, SlotProcessor)
    processor(config(), torch.device("cpu"), False)


def test_parameters_are_refused_with_one_line(start: Start, folder: Path) -> None:
    processor = start(STELA_PROFILE=str(folder), STELA_POLICY="default-on")
    processor.validate_params(SamplingParams(extra_args={"stela": "kgw"}, temperature=0))
    processor.validate_params(SamplingParams(extra_args={"stela": "off"}))
    for arguments, more, said in (
        (None, {}, "has 2 profiles"),
        ({"stela": "nothing"}, {}, 'no profile "nothing"'),
        ({"stela": "gumbel"}, {"temperature": 0}, "at temperature 0"),
        ({"stela": "off"}, {"max_tokens": 1, "logprobs": 4, "detokenize": False}, "beam search"),
    ):
        with pytest.raises(ValueError, match=said) as raised:
            processor.validate_params(SamplingParams(extra_args=arguments, **more))
        assert "\n" not in str(raised.value)


def test_what_would_leave_no_mark_is_refused_at_the_start(start: Start, registry: stela.Registry) -> None:
    processor = start()
    drafting, cpu = SimpleNamespace(num_speculative_tokens=3), torch.device("cpu")
    for changed, said in (
        ({"speculative_config": drafting}, "shows a processor no drafted tokens"),
        ({"watermark_config": SimpleNamespace()}, "vLLM's own watermark is on"),
        ({"skip_tokenizer_init": True}, "vLLM loads no tokenizer"),
    ):
        asked = config(skip_tokenizer_init=changed.pop("skip_tokenizer_init", False))
        vars(asked).update(changed)
        with pytest.raises(stela.StelaError, match=said):
            processor(asked, cpu, False)
    asked = config()
    asked.speculative_config = drafting
    processor(asked, states(4, 16))
    with pytest.raises(stela.StelaError, match="wrong tokenizer"):
        start(load_tokenizer(registry, "tiny-small"))(config(), cpu, False)


@pytest.mark.parametrize("other", ["stela_vllm:Processor", "stela_vllm.processor:Processor", "a class"])
def test_two_of_it_are_refused_at_the_start(start: Start, other: str) -> None:
    """vLLM makes one of each that it is told of, and calls them in turn."""
    processor = start()
    asked, cpu = config(), torch.device("cpu")
    asked.model_config.logits_processors = [
        "stela_vllm:Processor",
        processor if other == "a class" else other,
    ]
    with pytest.raises(stela.StelaError, match="named twice"):
        processor(asked, cpu, False)
    asked.model_config.logits_processors = ["json:JSONDecoder", processor]
    processor(asked, cpu, False)


def test_weights_are_recorded_when_a_text_leaves(start: Start, made: Made, tmp_path: Path) -> None:
    record = tmp_path / "weights.jsonl"
    rows = start(STELA_RECORD=str(record))(config(), torch.device("cpu"), False)
    output: list[int] = []
    rows.update_state(BatchUpdate(1, [], [(0, SamplingParams(), [9], output)], []))
    for token in made.ids[:4]:
        rows.apply(logits_of(1, 0))
        output.append(token)
    rows.update_state(BatchUpdate(0, [0], [], []))
    assert record.stat().st_mode & 0o077 == 0
    [line] = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    assert line == {"profile": "kgw", "ids": made.ids[:4], "weights": [None, 1.0, 1.0, 1.0]}


def test_requests_of_vllm_itself_are_let_through(start: Start, folder: Path, caplog: Any) -> None:
    """Those that no frontend has seen, under a policy that wants a name."""
    rows = start(STELA_PROFILE=str(folder))(config(), torch.device("cpu"), False)
    rows.update_state(BatchUpdate(1, [], [(0, SamplingParams(), [9], [5, 6])], []))
    scores = logits_of(1, 0)
    assert torch.equal(rows.apply(scores.clone()), scores)
    assert "a text is not marked: this server has 2 profiles" in caplog.text


def test_nothing_else_of_the_package_needs_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.delitem(sys.modules, "stela_vllm.processor", raising=False)
    module = import_module("stela_vllm")
    assert module.__all__ == ["Processor"]
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        module.Other  # noqa: B018
    with pytest.raises(ModuleNotFoundError, match="vllm"):
        module.Processor  # noqa: B018
