"""Configurations of vLLM's marks that no release has: ``red_green``, and ``gumbel`` by ``hmac_sha256``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

import stela_core as stela
from stela_interop.foreign import Foreign


class VllmRedGreenConfig(stela.Parameters):
    """``WatermarkConfig`` with ``algorithm`` red_green (commit 381f94544575)."""

    key: int
    algorithm: Literal["red_green"]
    delta: float = Field(2.0, gt=0)
    gamma: float = Field(0.25, gt=0, lt=1)
    context_width: int = Field(4, ge=1, le=64)
    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    deduplicate_contexts_max_history: int | None = Field(8192, ge=1)
    prf: Literal["philox"] = "philox"
    alpha: Any = None
    """Parameter of ``dual_key_gumbel``, which is not read."""
    allow_target_only_watermarking: bool = False

    def foreign(self) -> Foreign:
        """The profile's side."""
        return Foreign(
            "interop-red-green",
            key=self.key,
            gamma=self.gamma,
            values={"delta": self.delta},
            context_width=self.context_width,
            parameters={"deduplicate_contexts": self.deduplicate_contexts},
            remarks=("vLLM adds delta after temperature, stela generate before: at 1 they are one",),
        )


class VllmHmacConfig(stela.Parameters):
    """``WatermarkConfig`` with ``prf`` hmac_sha256 (commit 3da8712b5fbb)."""

    key: int
    algorithm: Literal["gumbel"] = "gumbel"
    context_width: int = Field(4, ge=1, le=16)
    prf: Literal["hmac_sha256"]

    def foreign(self) -> Foreign:
        """The profile's side."""
        name = "gumbel-vllm-hmac"
        return Foreign(name, scheme=name, key=self.key, words=4, context_width=self.context_width)
