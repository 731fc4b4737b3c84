"""vLLM's Gumbel marks (from 0.30): ``gumbel`` and ``dual_key_gumbel``, bit for bit (``vllm_hash.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox.draws import exponential_draws
from stela_kernels.philox.exponential import Exponential
from stela_kernels.philox.vllm import states, token_counters

import stela_core as stela
from stela_gumbel import uniforms, vllm_hash, vllm_score
from stela_gumbel.choosing import GumbelHasher, unkeyed


class VllmParameters(stela.SamplingParameters):
    """Parameters of vLLM's ``WatermarkConfig``."""

    context_width: int = Field(4, ge=1, le=64)
    """Preceding ids of the generated text; -1 stands in front of it."""

    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    """The texts in which a repeated context is not marked again. For one text ``all`` is ``single_turn``:
    nobody knows what the prompt held."""


class VllmDualParameters(VllmParameters):
    """Parameters of vLLM's ``WatermarkConfig`` with ``dual_key_gumbel``."""

    alpha: float = Field(0.1, gt=0, lt=1)
    """Probability that a token is drawn under key B, and key B's weight in the score."""


V_co = TypeVar("V_co", bound=VllmParameters, covariant=True)


class Vllm(GumbelHasher[V_co]):
    """What both algorithms share. A seed is the state of one key's Philox, 128 bits, for each key in use."""

    Parameters: ClassVar[type[VllmParameters]] = VllmParameters
    padding = -1
    noise_of = uniforms.VLLM
    bits = vllm_hash.BITS

    @property
    def first_only(self) -> bool:
        """Unless ``deduplicate_contexts`` is ``none``."""
        return self.parameters.deduplicate_contexts != "none"

    @property
    def keys(self) -> tuple[int, ...]:
        """The keys of Philox."""
        return (self.key,)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Each key's states of each context, (n, context_width) -> (n, 2 a key)."""
        return np.concatenate([states(key, contexts) for key in self.keys], axis=1)

    def numbers(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> list[npt.NDArray[np.uint32]]:
        """Each key's numbers of tokens, (n,), below 2**24."""
        of_keys = enumerate(self.keys)
        return [vllm_hash.numbers(key, seeds[:, 2 * i : 2 * i + 2], tokens) for i, key in of_keys]

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - m / 2**24)``, rounded down, (n, keys); vLLM's own are larger by at most 2**-24."""
        return np.stack([exponential_draws(m, self.bits) for m in self.numbers(seeds, tokens)], axis=1)

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """Counter and key of each row's Philox but for the token, (rows, 5), under the first key."""
        return _words(self.keys[0], seeds[:, :2])

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Score and p-value of the scored tokens as vLLM gives them."""
        numbers = self.numbers(self.seeds(self.contexts(ids, positions)), ids[positions])
        score = vllm_score.score(numbers, self.law.parts)
        return {"vLLM score": score, "vLLM p-value": exp(self._their_log_p(score, len(positions)))}

    def _their_log_p(self, score: float, tokens: int) -> float:
        return vllm_score.log_p_value(score, tokens)


class VllmGumbel(Vllm[VllmParameters]):
    """vLLM's ``gumbel``."""

    name = "gumbel-vllm"
    seed_words = 2


class VllmDualGumbel(Vllm[VllmDualParameters]):
    """vLLM's ``dual_key_gumbel``: a token is drawn under key A or, with probability alpha, under key B.

    Nobody can tell later which it was: both count, key A by 1 - alpha and key B by alpha.
    """

    name = "gumbel-vllm-dual"
    Parameters = VllmDualParameters
    seed_words = 4

    @property
    def law(self) -> stela.Law:
        """A weighted sum of two Exp(1)."""
        alpha = self.parameters.alpha
        return Exponential(parts=(1 - alpha, alpha), largest=self.bits * log(2))

    @property
    def keys(self) -> tuple[int, ...]:
        """Keys A and B, derived from the configuration's."""
        return vllm_hash.derived_keys(self.key)

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """The words of each row: of key A, or with probability alpha of key B."""
        key_a, key_b = self.keys
        with_b = unkeyed(len(seeds)) < self.parameters.alpha
        return np.where(with_b[:, None], _words(key_b, seeds[:, 2:]), _words(key_a, seeds[:, :2]))

    def _their_log_p(self, score: float, tokens: int) -> float:
        return vllm_score.log_p_value(score, tokens, self.parameters.alpha)


def _words(key: int, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    counters, keys = token_counters(key, seeds)
    return np.ascontiguousarray(np.concatenate([counters[1:], keys]).T.astype(np.uint32))
