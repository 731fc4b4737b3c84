"""The watermark in vLLM: a logits processor for both of its model runners.

    STELA_PROFILE=p.stela vllm serve MODEL --logits-processors stela_vllm:Processor

``LLM(MODEL, logits_processors=[stela_vllm.Processor])`` is the same in Python. Nothing is registered with
vLLM: an entry point would be dropped without a word where drafts are decoded. vLLM itself is imported when
``Processor`` is asked for, and by nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stela_vllm.processor import Processor as Processor

__all__ = ["Processor"]


def __getattr__(name: str) -> Any:
    if name == "Processor":
        from stela_vllm.processor import Processor

        return Processor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
