"""SGLang's shapes, as far as a logit processor and the hooks see them, for tests without SGLang.

The protocol of a step is that of ``apply_custom_logit_processor`` (``srt/layers/sampler.py``): the rows of
one processor are taken out, handed over with their parameters, and written back. ``make test-sglang`` runs
the real one.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch


@dataclass
class SamplingParams:
    """Fields of SGLang's that are read; ``top_k`` of all is its ``TOP_K_ALL``."""

    temperature: float = 1.0
    top_k: int = 1 << 30
    top_p: float = 1.0
    min_p: float = 0.0
    sampling_seed: int | None = None
    beam_width: int | None = None
    max_new_tokens: int = 100
    custom_params: dict[str, Any] | None = None


class Abort:
    """``FINISH_ABORT``."""

    def __init__(self, message: str, status_code: int, err_type: str) -> None:
        self.message, self.status_code, self.err_type = message, status_code, err_type


@dataclass(eq=False)
class Req:
    rid: str
    origin_input_ids: array[int]
    sampling_params: SamplingParams = field(default_factory=SamplingParams)
    custom_logit_processor: str | None = None
    output_ids: array[int] = field(default_factory=lambda: array("q"))
    inflight_middle_chunks: int = 0
    is_retracted: bool = False
    to_finish: Any = None
    has_ended: bool = False
    kv: Any = field(default_factory=lambda: SimpleNamespace(kv_committed_len=0))

    def finished(self) -> bool:
        return self.has_ended

    def fed(self, missing: int = 0) -> Req:
        """As in a step that feeds the model all of its tokens, ``missing`` of which it has not been told."""
        self.kv.kv_committed_len = len(self.origin_input_ids) + len(self.output_ids) + missing
        return self


def apply_processor(
    processor: Callable[..., torch.Tensor], logits: torch.Tensor, requests: list[Req]
) -> None:
    """A step, over the rows of those requests that have a processor."""
    rows = [row for row, one in enumerate(requests) if one.custom_logit_processor is not None]
    if rows:
        indices = torch.tensor(rows)
        params = [requests[row].sampling_params.custom_params for row in rows]
        result = processor(logits.index_select(0, indices), params)
        logits.index_copy_(0, indices, result.to(logits.dtype))


def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let ``import sglang`` give these. The hooks that are registered, by their targets."""
    hooks: dict[str, Callable[..., Any]] = {}

    def register(target: str, hook: Callable[..., Any], kind: str) -> None:
        hooks[target] = hook

    kinds = SimpleNamespace(AFTER="after", BEFORE="before")
    modules: dict[str, dict[str, Any]] = {
        "sglang": {},
        "sglang.srt": {},
        "sglang.srt.plugins": {},
        "sglang.srt.plugins.hook_registry": {
            "HookRegistry": SimpleNamespace(register=register),
            "HookType": kinds,
        },
        "sglang.srt.managers": {},
        "sglang.srt.managers.scheduler": {"Scheduler": type("Scheduler", (), {})},
        "sglang.srt.managers.schedule_batch": {"Req": Req, "FINISH_ABORT": Abort},
        "sglang.srt.managers.tokenizer_manager": {
            "TokenizerManager": type("TokenizerManager", (), {"_validate_one_request": None})
        },
        "sglang.srt.sampling": {},
        "sglang.srt.sampling.custom_logit_processor": {"CustomLogitProcessor": object},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)
    monkeypatch.delitem(sys.modules, "stela_sglang.processor", raising=False)
    return hooks
