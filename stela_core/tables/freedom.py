"""What a reference model says of the next token's freedom: the targets of ``stela lambda learn``."""

from __future__ import annotations

from itertools import product
from math import exp
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

DELTA = 1.25
"""Bias (nats) at which the gain is worked out; tables for other strengths differ little."""

TOP = 3
"""The colours of the most likely tokens are taken one by one, those of the rest at their mean."""


def expected_gain(
    logits: torch.Tensor, temperature: float, delta: float = DELTA, gamma: float = 0.5
) -> npt.NDArray[np.float64]:
    """Expected rise of the green tokens' probability by the mark, over random splits: (n, V) -> (n,).

    ``E[G a / (1 - G + G a)] - gamma`` with ``a = exp(delta / temperature)`` and G the green probability
    before the mark: what a token of this distribution adds to the statistic, and so, up to a factor, its
    best weight. The colours of the three most likely tokens are taken in all 8 ways; the rest of the
    probability is taken as green by the share gamma. That is never too little (the function is concave), and
    too much by 0.03 at most at delta 1.25 and gamma 1/2; by 0.25 at delta 3 and gamma 1/4.
    """
    import torch

    probabilities = torch.softmax(logits.double() / temperature, dim=-1)
    top = probabilities.topk(TOP, dim=-1).values
    ways = torch.tensor(list(product([0.0, 1.0], repeat=TOP)), dtype=top.dtype, device=top.device)
    chance = torch.prod(torch.where(ways > 0, gamma, 1 - gamma), dim=-1)
    green = top @ ways.T + gamma * (1 - top.sum(dim=-1, keepdim=True))
    factor = exp(delta / temperature)
    raised = green * factor / (1 - green + green * factor)
    gains: npt.NDArray[np.float64] = ((raised * chance).sum(dim=-1) - gamma).clamp(min=0).cpu().numpy()
    return gains


def spike_entropy(logits: torch.Tensor, delta: float = DELTA, gamma: float = 0.5) -> npt.NDArray[np.float64]:
    """EWD's weight before the minimum of the text is subtracted (Lu et al. 2024), less its lower bound.

    The bound, ``1 / (1 + modulus)``, is what a certain token has: it gets weight 0.
    """
    from stela_core.kernels.row_entropy import spike_entropies

    factor = exp(delta)
    modulus = (1 - gamma) * (factor - 1) / (1 - gamma + gamma * factor)
    return np.maximum(spike_entropies(logits, modulus) - 1 / (1 + modulus), 0.0)
