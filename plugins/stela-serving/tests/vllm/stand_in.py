"""vLLM's shapes, as far as a logits processor sees them, for tests without vLLM."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch


@dataclass
class SamplingParams:
    """Fields of ``vllm.SamplingParams`` that are read, with their defaults there."""

    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    max_tokens: int | None = 16
    logprobs: int | None = None
    detokenize: bool = True
    extra_args: dict[str, Any] | None = None


class MoveDirectionality(Enum):
    UNIDIRECTIONAL = auto()
    SWAP = auto()


@dataclass(frozen=True)
class BatchUpdate:
    batch_size: int
    removed: Sequence[int]
    added: Sequence[tuple[int, SamplingParams, list[int] | None, list[int]]]
    moved: Sequence[tuple[int, int, MoveDirectionality]]


@dataclass(frozen=True)
class LogitsContext:
    expanded_idx_mapping: torch.Tensor
    idx_mapping: torch.Tensor
    idx_mapping_np: np.ndarray
    expanded_local_pos: torch.Tensor
    input_ids: torch.Tensor
    pos: torch.Tensor
    seq_lens_upper_bound_np: np.ndarray


def states(requests: int, length: int) -> Any:
    """``LogitsProcRequestState``: tokens that nobody wrote are junk."""
    return SimpleNamespace(
        device=torch.device("cpu"),
        max_num_reqs=requests,
        all_token_ids=SimpleNamespace(gpu=torch.full((requests, length), 4242, dtype=torch.int32)),
        total_len=SimpleNamespace(gpu=torch.zeros(requests, dtype=torch.int32)),
        prompt_len=SimpleNamespace(np=np.zeros(requests, dtype=np.int32)),
        prefill_len=SimpleNamespace(np=np.zeros(requests, dtype=np.int32)),
    )


class RowProcessor(ABC):
    """``vllm.v1.sample.logits_processor.LogitsProcessor``."""

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        return None

    @abstractmethod
    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None: ...

    @abstractmethod
    def apply(self, logits: torch.Tensor) -> torch.Tensor: ...

    @abstractmethod
    def is_argmax_invariant(self) -> bool: ...

    @abstractmethod
    def update_state(self, batch_update: BatchUpdate | None) -> None: ...


class SlotProcessor(ABC):
    """``vllm.v1.worker.gpu.sample.logits_processor.LogitsProcessor``."""

    def __init__(self, vllm_config: Any, req_states: Any) -> None:
        return

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        return None

    def add_request(self, req_idx: int, sampling_params: SamplingParams) -> bool:
        return True

    def apply_staged_writes(self) -> None:
        return

    @abstractmethod
    def apply(self, logits: torch.Tensor, ctx: LogitsContext) -> torch.Tensor: ...


def config(**changed: Any) -> Any:
    """``VllmConfig`` as far as it is looked at."""
    skips = changed.pop("skip_tokenizer_init", False)
    model = SimpleNamespace(skip_tokenizer_init=skips, logits_processors=None)
    return SimpleNamespace(model_config=model, speculative_config=None, watermark_config=None, **changed)


def install(monkeypatch: pytest.MonkeyPatch, tokenizer: Any, slots: bool = True) -> None:
    """Let ``import vllm`` give these; without ``slots``, as a vLLM of one runner."""
    rows = SimpleNamespace(LogitsProcessor=RowProcessor)
    modules: dict[str, Any] = {
        "vllm": {},
        "vllm.v1": {},
        "vllm.v1.sample": {},
        "vllm.v1.sample.logits_processor": vars(rows),
        "vllm.tokenizers": {"cached_tokenizer_from_config": lambda config: tokenizer},
    }
    if slots:
        for name in ("", ".gpu", ".gpu.sample"):
            modules[f"vllm.v1.worker{name}"] = {}
        modules["vllm.v1.worker.gpu.sample.logits_processor"] = {"LogitsProcessor": SlotProcessor}
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("stela_vllm.processor",):
        monkeypatch.delitem(sys.modules, name, raising=False)
