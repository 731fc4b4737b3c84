"""What TextSeal's own detectors say, without a model: ``GumbelmaxDetector`` and ``TextSealDetector``."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.textseal_hash import SIZE, Numbers

from stela_gumbel.gamma_tail import log_tail


def scores(hashes: Numbers) -> npt.NDArray[np.float64]:
    """TextSeal's score of each h, (n,): ``-log(1 - r)`` in single precision.

    torch's logarithm is one unit in the last place off this one for some h, which ones depending on the
    processor: 5e-7 at most.
    """
    left = np.float32(1) - hashes.astype(np.float32) / np.float32(SIZE)
    return -np.log(left.astype(np.float64)).astype(np.float32).astype(np.float64)


def score(of_keys: Sequence[Numbers], weights: Sequence[float]) -> float:
    """TextSeal's sum: the scores of each key's h, weighted over the keys."""
    return float(sum(weight * scores(h).sum() for h, weight in zip(of_keys, weights, strict=True)))


def p_value(score: float, tokens: int, weights: Sequence[float]) -> float:
    """TextSeal's p-value: that of a Gamma with the sum's mean and variance.

    It is exact for one key, whose law this is; for two it is too small in the tail.
    """
    if not tokens:
        return 1.0
    variance = sum(weight * weight for weight in weights)
    return exp(log_tail(tokens / variance, score / variance))
