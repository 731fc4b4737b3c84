"""TextSeal's ``greenlist`` (Meta), bit for bit: green where its hash of context and token is below gamma.

Read in the package textseal 0.0.5, ``prf_binary``, after Kirchenbauer et al. 2023. The hash, and what it does
to p-values, is in ``stela_kernels/philox/textseal_hash.py``: one colour is green with the law's very
probability over random keys, two correlate by about 0.02, either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.textseal_score import mid_p
from stela_kernels.philox.textseal_tokens import free_of_steps, scored_positions

import stela_core as stela


class TextSealGreenParameters(stela.HasherParameters):
    """Parameters of TextSeal's ``WatermarkConfig``."""

    gamma: float = Field(0.5, ge=0.001, le=0.999)
    """Share of the vocabulary that is green."""

    context_width: int = Field(1, ge=1, le=len(textseal_hash.PRIMES))
    """Its ``ngram``: preceding ids."""

    scoring_method: Literal["v1", "v2", "none"] = "v2"
    """What its own score counts once: a context, a pair of context and token, or nothing. Ours counts a pair
    once, always."""


class TextSealGreen(stela.GreenList[TextSealGreenParameters]):
    """A seed is the context's part of the hash: the key is added when a token is."""

    name = "interop-textseal"
    Parameters = TextSealGreenParameters
    coins_hold_token = True
    chosen = textseal_hash.CHOSEN

    def __init__(self, parameters: TextSealGreenParameters, key: int) -> None:
        super().__init__(parameters, key)
        self._limit = textseal_hash.green_numbers(parameters.gamma)

    @property
    def log_choices(self) -> float:
        """All keys: those near a good one are good, too."""
        return textseal_hash.LOG_KEYS

    @property
    def law(self) -> stela.Law:
        """The very share of green numbers, where that is above gamma: 4,096 of 8,191 are below a half."""
        return stela.Bernoulli(max(self.gamma, textseal_hash.green_share(self._limit)))

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The contexts' part, (n, context_width) -> (n,)."""
        return textseal_hash.context_sums(contexts)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The sums of context and token: pairs of equal sums share their colour under any key."""
        return textseal_hash.pair_sums(seeds, tokens)

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Tokens that are at no distance for the second time: ``stela_kernels/philox/textseal_tokens.py``."""
        return free_of_steps(textseal_hash.pair_sums(seeds, tokens))

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under the seed next to it."""
        u = textseal_hash.pair_sums(seeds, tokens) + textseal_hash.key_part(self.key)
        return np.asarray(textseal_hash.hashes(u) < self._limit)

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Green tokens and p-value as TextSeal gives them of these ids, over the whole text."""
        at = scored_positions(ids, self.context_width, self.parameters.scoring_method)
        greens = int(self.green(self.seeds(self.contexts(ids, at)), ids[at]).sum())
        return {"TextSeal score": float(greens), "TextSeal p-value": mid_p(greens, len(at), self.gamma)}
