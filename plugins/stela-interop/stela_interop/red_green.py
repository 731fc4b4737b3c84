"""vLLM's ``red_green``, bit for bit: green where the number that its Philox gives a token is below gamma.

Read in ``vllm/v1/watermarking/red_green.py`` (commit 381f94544575, an open request), after Kirchenbauer et
al. 2023. Context, state and word are those of vLLM's Gumbel marks (``stela_kernels/philox/vllm.py``), under
the same key. Its uniform is the float32 next to ``(m + 1) / (2**24 + 1)``, m the word's upper 24 bits, and is
compared with gamma in float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox.vllm import states, token_words, vocabulary_words

import stela_core as stela

NUMBERS = 1 << 24


class RedGreenParameters(stela.HasherParameters):
    """Parameters of vLLM's ``WatermarkConfig``."""

    gamma: float = Field(0.25, gt=0, lt=1)
    """Share of the vocabulary that is green."""

    context_width: int = Field(4, ge=1, le=64)
    """Preceding ids of the generated text; -1 stands in front of it."""

    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    """Texts in which repeated contexts are looked for; ``single_turn`` and ``all`` agree for one text."""


class RedGreen(stela.GreenList[RedGreenParameters]):
    """A seed is the state of Philox, 128 bits."""

    name = "interop-red-green"
    Parameters = RedGreenParameters
    padding = -1
    seed_words = 2

    def __init__(self, parameters: RedGreenParameters, key: int) -> None:
        super().__init__(parameters, key)
        self._limit = green_numbers(parameters.gamma)

    @property
    def law(self) -> stela.Law:
        """The very share of green numbers, where that is above gamma: gamma in float32 may be."""
        return stela.Bernoulli(max(self.gamma, self._limit / NUMBERS))

    @property
    def first_only(self) -> bool:
        """Unless ``deduplicate_contexts`` is ``none``."""
        return self.parameters.deduplicate_contexts != "none"

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """States of the contexts, (n, context_width) -> (n, 2)."""
        return states(self.key, contexts)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The first word of the state, which differs where states do, but for one pair in 2**64."""
        return np.ascontiguousarray(seeds[:, 0])

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each token is green under its state."""
        own: npt.NDArray[np.bool_] = token_words(self.key, seeds, tokens) >> np.uint32(8) < self._limit
        return own

    def listed(self, size: int, seed: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Mask (size,) of the green ids under a state (2,): one Philox for four of them."""
        mask: npt.NDArray[np.bool_] = vocabulary_words(self.key, seed, size) >> np.uint32(8) < self._limit
        return mask

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Green tokens among the scored ones, and the binomial tail at gamma, as vLLM gives them."""
        green = self.green(self.seeds(self.contexts(ids, positions)), ids[positions])
        tail = stela.Bernoulli(self.gamma).tail(green.astype(np.float64), np.ones(len(green)), split=False)
        return {"vLLM score": float(green.sum()), "vLLM p-value": tail}


def green_numbers(gamma: float) -> int:
    """How many of the 2**24 numbers m have a uniform below gamma, both in float32."""
    low, high, limit = 0, NUMBERS, np.float32(gamma)
    while low < high:  # uniforms do not fall with m
        middle = (low + high) // 2
        if np.float32((middle + 1.0) / (NUMBERS + 1)) < limit:
            low = middle + 1
        else:
            high = middle
    return low
