"""Exponential minimum sampling: the token whose exponential clock, of rate p, rings first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.draws import exponential_draws

from stela_core.api import mix
from stela_exp.key_sequence import KeySequenceHasher
from stela_exp.one_token import RANGE, only

if TYPE_CHECKING:
    import torch


class ExpHasher(KeySequenceHasher):
    """Each place of the key sequence holds a uniform number xi for each token: the core's mix under its seed.

    Drawn is the token with the smallest ``-log(xi) / p`` (Kuditipudi et al. 2024: exponential
    minimum sampling, after Aaronson); the signal of a token is ``-log(1 - xi)``, Exp(1) on unmarked text.
    """

    name = "exp"
    key_in_seed = True
    edit_cost = 0.0

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - xi)`` of each token, (n, 1)."""
        return exponential_draws(mix(seeds, tokens))[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """All probability on the token that is drawn."""
        from stela_kernels.torch_bias import mixed

        uniform = (mixed(seeds, vocab_size, scores.device).double() + 0.5) / RANGE
        # The smallest -log(xi) / p, in logarithms; a token of probability 0 has an infinite clock.
        clocks = uniform.log_().neg_().log_() - scores[:, :vocab_size].double()
        return only(scores, clocks.argmin(dim=1))

    def costs(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """``log(1 - xi)``: at most 0."""
        from stela_exp.compiled import exponential_costs

        return exponential_costs(seeds, tokens)
