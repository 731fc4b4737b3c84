"""What marks may be expected to add to a token's signal, from a model's distribution.

They are weights (``stela-ewd``) and the targets of ``stela lambda learn``.
"""

from __future__ import annotations

from itertools import product
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from stela_kernels.row_entropy import spike_entropies

if TYPE_CHECKING:
    import torch

TOP = 3
"""The colours of the most likely tokens are taken one by one, those of the rest at their mean."""

EULER = 0.5772156649015329

BITS_PER_NAT = 1.8
"""Excess bits that a nat of entropy buys in a tournament with many layers. Between 1.67 of two equal tokens,
nearly, and 1.91 = 0.25 / E[x log x] with x = 1/2 or 3/2, of very many."""


def expected_gain(
    logits: torch.Tensor, temperature: float, delta: float, gamma: float = 0.5
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


def spike_entropy(logits: torch.Tensor, delta: float, gamma: float = 0.5) -> npt.NDArray[np.float64]:
    """EWD's weight before the minimum of the text is subtracted (Lu et al. 2024), less its lower bound.

    The bound, ``1 / (1 + modulus)``, is what a certain token has: it gets weight 0.
    """
    factor = exp(delta)
    modulus = (1 - gamma) * (factor - 1) / (1 - gamma + gamma * factor)
    return np.maximum(spike_entropies(logits, modulus) - 1 / (1 + modulus), 0.0)


def gumbel_gain(logits: torch.Tensor, temperature: float) -> npt.NDArray[np.float64]:
    """Expected excess over 1 of the signal of a token drawn by a Gumbel mark: (n, V) -> (n,), at least 0.

    The mark chooses the v with the largest ``u_v^(1 / p_v)``, so that ``P(v is chosen, u_v <= x) = p_v
    x^(1 / p_v)``: the chosen uniform is Beta(1 / p_v, 1), and its signal ``-log(1 - u_v)`` has mean
    ``H(1 / p_v)``, the harmonic number ``digamma(1 + 1 / p_v) + 0.5772``. Over v that is
    ``sum p_v H(1 / p_v)``, about the entropy in nats + 0.58 where no token is likely.
    """
    import torch

    probabilities = torch.softmax(logits.double() / temperature, dim=-1).clamp(min=1e-300)
    means = (probabilities * (torch.special.digamma(1 + 1 / probabilities) + EULER)).sum(dim=-1)
    gains: npt.NDArray[np.float64] = (means - 1).clamp(min=0).cpu().numpy()
    return gains


def synthid_gain(logits: torch.Tensor, temperature: float, depth: int = 30) -> npt.NDArray[np.float64]:
    """Expected excess over 1/2 of the mean bit of a token drawn by a tournament: (n, V) -> (n,), at least 0.

    A layer of two competitors turns p_v into ``p_v (1 + g_v - sum p g)``, and the winner's bit is 1 with
    probability ``1/2 + (1 - C) / 4``, where ``C = sum p^2`` (Dathathri et al. 2024).
    Later layers add less: each uses up entropy. Between both bounds, the first layer's gain for all and
    ``1.8 / depth`` for each nat of entropy, the gain is their ``(a^-2 + b^-2)^(-1/2)``: within 7 % (root mean
    square) of simulated tournaments of 5 to 30 layers over distributions of all shapes.
    """
    import torch

    logs = torch.log_softmax(logits.double() / temperature, dim=-1)
    probabilities = logs.exp()
    entropy = -(probabilities * logs.clamp(min=log(1e-300))).sum(dim=-1)
    first = (1 - (probabilities * probabilities).sum(dim=-1)) / 4
    budget = BITS_PER_NAT * entropy / depth
    # Of a certain token both are 0.
    gains = (first * budget / torch.hypot(first, budget).clamp(min=1e-30)).clamp(min=0)
    return np.asarray(gains.cpu().numpy())


def of_exponentials(gains: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Best weights of exponential signals with these expected excesses: ``g / (1 + g)``.

    It is what the likelihood ratio of exponentials with means 1 + g and 1 gives a signal, and the w that
    makes ``w (1 + g) + log(1 - w)`` largest, to which the tail's logarithm comes near in long texts. For weak
    marks it is g, as for colours; a free choice counts 1, however free.
    """
    return gains / (1 + gains)
