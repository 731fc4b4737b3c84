"""The class that SGLang calls once a step. The one module that imports SGLang as it is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sglang.srt.sampling.custom_logit_processor import CustomLogitProcessor

from stela_sglang.plugin import serving

if TYPE_CHECKING:
    import torch


class Processor(CustomLogitProcessor):  # type: ignore[misc]
    """Marks the rows of one step; SGLang makes many of these, and all that is kept is the server's."""

    def __call__(
        self, logits: torch.Tensor, custom_param_list: list[dict[str, Any] | None] | None = None
    ) -> torch.Tensor:
        """The logits of a step, (rows, width), marked where they lie.

        Raises:
            stela.StelaError: SGLang does not let the plugin see its requests.
        """
        return serving().texts.apply(logits, custom_param_list or [None] * len(logits))
