"""The final logits of a call of transformers' ``generate``: what its own settings make of a processor's.

transformers applies temperature, top-k and the like after the processors it is given. A mark that chooses
the token has to see what they leave, so it applies them itself; once one token is left they change nothing.
"""

from __future__ import annotations

import torch
from transformers import GenerationConfig, LogitsProcessor
from transformers.generation import logits_process

from stela_core import StelaError

WARPERS = (
    ("temperature", "TemperatureLogitsWarper", 1.0),
    ("top_h", "TopHLogitsWarper", None),
    ("top_k", "TopKLogitsWarper", 0),
    ("top_p", "TopPLogitsWarper", 1.0),
    ("min_p", "MinPLogitsWarper", None),
    ("typical_p", "TypicalLogitsWarper", 1.0),
    ("epsilon_cutoff", "EpsilonLogitsWarper", 0.0),
    ("eta_cutoff", "EtaLogitsWarper", 0.0),
)
"""Field of the configuration, class of :mod:`transformers.generation.logits_process`, and the value that says
nothing, in the order in which ``generate`` applies them (transformers 5)."""


def require_sampling(config: GenerationConfig) -> None:
    """Find out whether a call of ``generate`` draws its tokens.

    Raises:
        StelaError: it searches with beams, or takes the likeliest token always.
    """
    if (config.num_beams or 1) > 1:
        raise StelaError(
            f"this mark chooses the tokens, and {config.num_beams} beams choose them too.",
            "leave num_beams at 1, or mark with a scheme that raises logits, such as stela",
        )
    if not config.do_sample:
        raise StelaError(
            "this mark works by drawing tokens, and greedy decoding draws nothing.",
            "set do_sample=True, temperature above 0; or take a scheme that raises logits, such as stela",
        )


def final_logits(input_ids: torch.Tensor, scores: torch.Tensor, config: GenerationConfig) -> torch.Tensor:
    """Scores (rows, width) after temperature, top-k, top-p and the like of a call that draws its tokens."""
    for field, name, nothing in WARPERS:
        value = getattr(config, field, None)
        warper = getattr(logits_process, name, None)
        if value is None or value == nothing or warper is None:
            continue
        more = {"device": scores.device} if field == "eta_cutoff" else {}
        scores = warper(value, **more)(input_ids, scores)
    return scores


class FinalLogits(LogitsProcessor):
    """:func:`final_logits` as a processor, where ``generate`` itself is to draw nothing."""

    def __init__(self, config: GenerationConfig) -> None:
        self._config = config

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Scores (rows, width) after temperature, top-k and top-p of the configuration."""
        return final_logits(input_ids, scores, self._config)  # type: ignore[return-value]
