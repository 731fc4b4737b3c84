"""The project's own Gumbel mark: seeds and numbers of the core's portable hash (docs/hashing.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from stela_kernels.many_keys import keyed_sums
from stela_kernels.philox.draws import exponential_draws

import stela_core as stela
from stela_core.api import keyed_seeds, mix
from stela_gumbel.choosing import GumbelHasher


class GumbelParameters(stela.SamplingParameters):
    """Length of the hash context, and whether one marks again."""

    once: bool = True
    """Whether a hash context is marked, and scored, only where it stands first in a text. Else a text that
    comes back to a context goes on as it did there, and may not get out of a loop."""


class Gumbel(GumbelHasher[GumbelParameters]):
    """Seeds by keyed BLAKE2b; a token's number is the x of docs/hashing.md, its uniform (x + 1/2) / 2**32."""

    name = "gumbel"
    Parameters = GumbelParameters
    key_in_seed = True
    draws_mix = True

    @property
    def gains(self) -> Mapping[str, tuple[float, float, float, float]]:
        """Gains measured on texts at temperature 0.7 (``python -m benchmarks.freedom``)."""
        if not self.parameters.once:
            return {}
        return {"tiny en": (2.22, 2.53, 0.20, 2.0), "gemma-3-270m en": (1.17, 2.00, 0.31, 2.0)}

    @property
    def first_only(self) -> bool:
        """Whether a hash context is marked once only, as the parameter ``once`` says."""
        return self.parameters.once

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Keyed BLAKE2b of each context, (n, context_width) -> (n,)."""
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - x / 2**32)``, rounded down, (n, 1)."""
        return exponential_draws(mix(seeds, tokens), self.bits)[:, None]

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Weighted sums of the draws, (keys,): all keys' seeds are hashed together."""
        return keyed_sums(self.draws, keys, contexts, tokens, weights)

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """Low and high half of each seed, (rows, 2)."""
        low, high = seeds & np.uint64(0xFFFFFFFF), seeds >> np.uint64(32)
        return np.stack([low, high], axis=1).astype(np.uint32)
