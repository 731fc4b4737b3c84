"""What vLLM's own detectors say: the score and p-value of ``vllm/v1/watermarking/gumbel.py`` (0.32)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_gumbel.gamma_tail import log_tail, whole_log_tail
from stela_gumbel.vllm_hash import uniforms


def score(numbers: Sequence[npt.NDArray[np.uint32]], weights: Sequence[float]) -> float:
    """The sum over tokens of ``-log1p(-u)``, weighted over the keys: numbers (n,) and a weight for each."""
    parts = [
        w * -np.log1p(-uniforms(m).astype(np.float64)).sum() for m, w in zip(numbers, weights, strict=True)
    ]
    return float(sum(parts))


def log_p_value(score: float, tokens: int, alpha: float | None = None) -> float:
    """The logarithm of vLLM's p-value; of one key exact, of two (``alpha``) a Gamma with matched moments.

    The matched tail is too small: at alpha 0.1 and 20 tokens the exact one is 1.5 times it where it is 1e-6.
    """
    if not tokens:
        return 0.0
    if alpha is None:
        return whole_log_tail(tokens, score)
    variance = (1 - alpha) ** 2 + alpha**2
    shape = tokens / variance
    if alpha in (0, 0.5, 1):
        return whole_log_tail(round(shape), score / variance)
    return log_tail(shape, score / variance)
