"""SGLang's own classes without a GPU and without a server: settings, hooks, requests, a sampler."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from scripts.serving.absent import stand_in

ABSENT = ("torchvision", "compressed_tensors", "gguf", "opentelemetry")
"""What SGLang imports for pictures and quantized weights."""


def start(model: str, environment: Mapping[str, str]) -> Any:
    """SGLang's settings are published, its plugins loaded, and a scheduler was shown to them. The scheduler.

    It is one of SGLang's class, of which only what a plugin looks at is made.
    """
    from transformers import (
        image_utils as image_utils,  # asks whether torchvision is there, before it seems so
    )
    from transformers.utils.import_utils import is_torchvision_available

    is_torchvision_available()
    stand_in(ABSENT)
    os.environ.update(environment)
    from sglang.srt import runtime_context
    from sglang.srt.plugins import load_plugins
    from sglang.srt.server_args import ServerArgs

    load_plugins()
    settings = ServerArgs(
        model_path=model,
        device="cpu",
        enable_custom_logit_processor=True,
        skip_server_warmup=True,
        attention_backend="torch_native",
        sampling_backend="pytorch",
    )
    runtime_context._CONTEXT.set_server_args(settings)
    return scheduler()


def scheduler(**changed: Any) -> Any:
    """A ``Scheduler`` without its workers, after the plugins' hook has seen it."""
    from sglang.srt.disaggregation.utils import DisaggregationMode
    from sglang.srt.managers.scheduler import Scheduler
    from sglang.srt.runtime_context import get_server_args
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm
    from stela_sglang.plugin import scheduler_began
    from transformers import AutoTokenizer

    own = Scheduler.__new__(Scheduler)
    own.spec_algorithm = SpeculativeAlgorithm.from_string(None)
    own.disaggregation_mode = DisaggregationMode("null")
    own.enable_overlap, own.enable_overlap_mlx, own.dllm_config = True, False, None
    own.tokenizer = AutoTokenizer.from_pretrained(get_server_args().model_path)
    vars(own).update(changed)
    scheduler_began(None, own)
    return own


def sampler() -> Any:
    """A ``Sampler``, as its constructor makes it for one device."""
    from sglang.srt.layers.sampler import Sampler
    from torch import nn

    own = Sampler.__new__(Sampler)
    nn.Module.__init__(own)
    own.rl_on_policy_target = None
    own.enable_deterministic = own.use_log_softmax_logprob = own.use_ascend_backend = False
    own.tp_sync_group = own.cp_sync_group = None
    return own
