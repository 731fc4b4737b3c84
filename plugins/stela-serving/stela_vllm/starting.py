"""What is looked at before the first request: vLLM's configuration and the model's tokenizer."""

from __future__ import annotations

import pkgutil
from typing import Any

import stela_core as stela


def require_right_start(vllm_config: Any, has_slots: bool) -> int:
    """Tokens that a step may draft; refuses what would leave texts unmarked.

    Args:
        vllm_config: vLLM's whole configuration.
        has_slots: its second model runner is running.

    Raises:
        stela.StelaError: it does.
    """
    if getattr(vllm_config, "watermark_config", None) is not None:
        raise stela.StelaError(
            "vLLM's own watermark is on, and a text can carry only one mark.",
            "leave --watermark-config out, or this processor",
        )
    if sum(map(_is_ours, vllm_config.model_config.logits_processors or ())) > 1:
        raise stela.StelaError(
            "this processor is named twice, which would double the mark's bias.",
            "give --logits-processors stela_vllm:Processor once",
        )
    drafting = vllm_config.speculative_config
    if drafting is None:
        return 0
    if not has_slots:
        raise stela.StelaError(
            "speculative decoding is on, and this model runner shows a processor no drafted tokens.",
            "leave it out, or set VLLM_USE_V2_MODEL_RUNNER=1",
        )
    return int(drafting.num_speculative_tokens)


def _is_ours(named: Any) -> bool:
    """Whether one of vLLM's ``logits_processors`` is this plugin's: a class, or ``module:class``."""
    one = pkgutil.resolve_name(named) if isinstance(named, str) else named
    ours = pkgutil.resolve_name("stela_vllm:Processor")
    return isinstance(one, type) and issubclass(one, ours)


def tokenizer_of(vllm_config: Any) -> Any:
    """The tokenizer of the model that is served.

    Raises:
        stela.StelaError: vLLM is told to load none.
    """
    if vllm_config.model_config.skip_tokenizer_init:
        raise stela.StelaError(
            "vLLM loads no tokenizer, so the profile cannot be compared with the model.",
            "leave --skip-tokenizer-init out",
        )
    from vllm.tokenizers import cached_tokenizer_from_config

    return cached_tokenizer_from_config(vllm_config.model_config)
