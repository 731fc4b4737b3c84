"""delta-reweight: all probability on the token at which the cumulative distribution passes a keyed number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.draws import nearness_draws

from stela_core.api import mix
from stela_unbiased.permuted import PermutedHasher

if TYPE_CHECKING:
    import torch


class DeltaHasher(PermutedHasher):
    """delta-reweight (Hu et al. 2024), over the keyed order of the vocabulary instead of the tokenizer's.

    The keyed number u is the upper half of the seed. In the keyed order a token's place is uniform, given u:
    its nearness to u is Exp(1) on unmarked text, for each (context, token) pair by itself, and large
    where u chose the token. So the mark is found without the model, which the paper's score needs.
    """

    name = "unbiased-delta"

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Nearness of each token's place to u, (n, 1)."""
        return nearness_draws(mix(seeds, tokens), (seeds >> np.uint64(32)).astype(np.uint32))[:, None]

    def log_factors(self, logs: torch.Tensor, numbers: torch.Tensor, seed: int) -> torch.Tensor:
        """Minus infinity but for one token, which gets all."""
        import torch

        from stela_unbiased.crossing import Cumulative

        u = ((seed >> 32) + 0.5) / 2.0**32
        token = Cumulative(logs.exp(), numbers).crossing(u).token
        factors = torch.full_like(logs, -torch.inf)
        factors[token] = -logs[token]
        return factors
