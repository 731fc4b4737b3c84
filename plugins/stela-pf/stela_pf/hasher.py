"""Pf: the token of the largest sum of logit and exponential noise, and the noise as evidence.

Permute-and-flip (McKenna and Sheldon, NeurIPS 2020) goes through the tokens in random order and takes one
with probability ``exp(logit - largest logit)``. That is the argmax of logit + E, E independent Exp(1) (Ding
et al., "The permute-and-flip mechanism is identical to report-noisy-max with exponential noise", 2021).
Zhao, Li and Wang (ICLR 2025) let the key make a context's E: the chosen token's tends to be large, and any
other token's is Exp(1), so that n of them sum to Gamma(n, 1).
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.draws import exponential_draws
from stela_kernels.philox.exponential import Exponential

import stela_core as stela
from stela_core.api import keyed_seeds, mix

if TYPE_CHECKING:
    import torch

BITS = 32
"""Bits of a token's number."""


class PfParameters(stela.SamplingParameters):
    """Length of the hash context, and whether one marks again."""

    once: bool = True
    """Whether a hash context is marked, and scored, only where it stands first in a text."""


class Pf(stela.SamplingHasher[PfParameters]):
    """Seeds by keyed BLAKE2b, numbers x of docs/hashing.md; the noise is ``-log(1 - (x + 1/2) / 2**32)``."""

    name = "pf"
    Parameters: ClassVar[type[PfParameters]] = PfParameters
    key_in_seed = True
    draws_mix = True

    @property
    def law(self) -> stela.Law:
        """Exp(1), with an upper end: that of the largest number."""
        return Exponential(largest=BITS * log(2))

    @property
    def first_only(self) -> bool:
        """Whether a context is marked only once, as the parameter ``once`` says."""
        return self.parameters.once

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - x / 2**32)``, rounded down, (n, 1)."""
        return exponential_draws(mix(seeds, tokens), BITS)[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """New scores (rows, width): 0 at the chosen token, minus infinity elsewhere.

        The noise is made on the host, and added in double precision. A row without a finite score is copied.
        """
        import torch

        out, size = torch.full_like(scores, -torch.inf), min(vocab_size, scores.shape[-1])
        for row, seed in enumerate(seeds):
            noisy = scores[row, :size].double() + torch.from_numpy(noise(seed, size)).to(scores.device)
            most, chosen = noisy.nan_to_num(-torch.inf, torch.inf, -torch.inf).max(dim=0)
            if most == -torch.inf:
                out[row] = scores[row]
            else:
                out[row, chosen] = 0
        return out

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """The same for an array, without torch."""
        out, size = np.full_like(scores, -np.inf), min(vocab_size, scores.shape[-1])
        for row, seed in enumerate(seeds):
            noisy = scores[row, :size].astype(np.float64) + noise(seed, size)
            noisy = np.nan_to_num(noisy, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
            chosen = int(np.argmax(noisy))
            if noisy[chosen] == -np.inf:
                out[row] = scores[row]
            else:
                out[row, chosen] = 0
        return out


def noise(seed: np.uint64, size: int) -> npt.NDArray[np.float64]:
    """The noise of ids 0 to size - 1 under a seed, (size,)."""
    numbers = mix(np.uint64(seed), np.arange(size, dtype=np.int64))
    return np.asarray(-np.log1p((numbers + 0.5) * -(2.0**-BITS)))
