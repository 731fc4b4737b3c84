"""Likelihood: each token weighed by what its colour says, given how likely the token itself was."""

from __future__ import annotations

from itertools import product
from math import exp
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_ewd.gain import GainParameters

if TYPE_CHECKING:
    import torch

TOP = 3
"""The colours of the most likely other tokens are taken one by one, those of the rest at their mean."""


def own_and_others(
    logits: torch.Tensor, tokens: npt.NDArray[np.int64], temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities (n,) of the tokens in these columns, and (n, V) of the others, theirs set to 0."""
    import torch

    others = torch.softmax(logits.double() / temperature, dim=-1)
    columns = torch.from_numpy(np.asarray(tokens, dtype=np.int64)).to(others.device)[:, None]
    own = others.gather(1, columns)[:, 0].clone()
    others.scatter_(1, columns, 0.0)
    return own, others


def likelihood_weights(
    own: torch.Tensor, others: torch.Tensor, strength: float, gamma: float
) -> npt.NDArray[np.float64]:
    """Log of how much more the mark favours the token where it is green than where it is red, (n,).

    ``log(a E[1 / (1 + c (p + G))] / E[1 / (1 + c G)])`` with ``a = exp(strength)``, ``c = a - 1``, p the
    token's own probability and G that of the other green tokens, over random splits (``docs/weights.md``).

    Args:
        own: p, (n,).
        others: probabilities of the other tokens, (n, V).
        strength: delta over the temperature.
        gamma: share of green tokens.
    """
    import torch

    top = others.topk(min(TOP, others.shape[-1]), dim=-1).values
    ways = torch.tensor(list(product([0.0, 1.0], repeat=top.shape[-1])), dtype=top.dtype, device=top.device)
    chance = torch.prod(torch.where(ways > 0, gamma, 1 - gamma), dim=-1)
    rest = (1 - own - top.sum(dim=-1)).clamp(min=0)
    green = top @ ways.T + gamma * rest[:, None]
    c = exp(strength) - 1
    if_green = (chance / (1 + c * (own[:, None] + green))).sum(dim=-1)
    if_red = (chance / (1 + c * green)).sum(dim=-1)
    weights: npt.NDArray[np.float64] = (strength + (if_green / if_red).log()).clamp(min=0).cpu().numpy()
    return weights


class Likelihood(stela.Weighting[GainParameters]):
    """Log-likelihood ratio of green against red, given the text (``docs/weights.md``).

    Up to what colours do not change, the weighted count of green tokens is then the log-likelihood ratio of
    marked against unmarked: the best test there is where the model's probabilities are right. A token that
    was likely either way weighs little, one that was unlikely ``delta / temperature``.
    """

    name = "ewd-likelihood"
    needs = frozenset({"logits", "token"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), in [0, delta / temperature]."""
        chosen = self.parameters
        assert positions.tokens is not None
        own, others = own_and_others(positions.logits, positions.tokens, chosen.temperature)
        return likelihood_weights(own, others, chosen.delta / chosen.temperature, positions.gamma)

    def gains(
        self, weights: npt.NDArray[np.float64], bias: npt.NDArray[np.float64], gamma: float
    ) -> npt.NDArray[np.float64]:
        """The probability that the token is green, given that it is there and marked, less gamma."""
        return np.asarray(gamma / (gamma + (1 - gamma) * np.exp(-weights)) - gamma)
