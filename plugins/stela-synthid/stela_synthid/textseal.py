"""TextSeal's ``synthid`` (Meta): a tournament whose layer l looks whether ``token + l * stride`` is green.

Read in ``SynthidGenerator`` and ``SynthidDetector`` of the package textseal 0.0.5, whose stride is 1, and of
main (046cec45d186), where it is 659,101. The hash is that of its green lists
(``stela_kernels/philox/textseal_hash.py``). What that means:

- With stride 1, ids less than ``depth`` apart share bits under one context. Of two such ids the likelier
  nearly always wins, under any key: 0.8 and 0.2 become 0.99996 and 0.00004 with 30 layers. Of such tokens
  under one context the text's first is scored. With the other stride 0.8 becomes 0.79 to 0.82.
- All bits are one function of u at known distances, so they are not independent. Over random keys the
  variance of a text's sum, over that of independent bits, was 0.88 +- 0.07 (25 texts of 200 tokens, 30
  layers, gamma 1/2), and with main's stride 1.00 +- 0.14. So p-values take 1 and 1.25 (``WIDTH``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import erfc, sqrt
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.textseal_score import LEAST, mid_p
from stela_kernels.philox.textseal_tokens import free_of_shared_bits, free_of_steps, scored_positions

import stela_core as stela
from stela_synthid.layer_weights import Layers, layer_weights
from stela_synthid.wide_bits import WideBits

if TYPE_CHECKING:
    import torch


WIDTH = {1: 1.0, 659101: 1.25}
"""Variance of a text's sum that p-values allow for, over that of independent bits, by stride."""


class SynthIdTextSealParameters(stela.SamplingParameters):
    """Parameters of TextSeal's ``WatermarkConfig``."""

    context_width: int = Field(1, ge=1, le=len(textseal_hash.PRIMES))
    """Its ``ngram``: preceding ids."""

    depth: int = Field(30, ge=1, le=64)
    """Layers of the tournament."""

    stride: Literal[1, 659101] = 659101
    """Distance of the ids that a token's layers ask for: 1 in the package 0.0.5, 659,101 in main."""

    gamma: float = Field(0.5, ge=0.001, le=0.5)
    """Share of the ids that are green. Above a half bits depend on each other more, and none is taken."""

    layers: Layers = "mean"
    """Layers count all alike, or by weights that fall from 10 to 1 (its ``synthid-weighted``)."""

    scoring_method: Literal["v1", "v2", "none"] = "v2"
    """What its own score counts once: a context, a pair of context and token, or nothing. Ours counts a pair
    once, always."""


class SynthIdTextSeal(stela.SamplingHasher[SynthIdTextSealParameters]):
    """A token's signal is the (weighted) mean of ``depth`` bits. A seed is the context's part of the hash."""

    name = "synthid-textseal"
    Parameters: ClassVar[type[SynthIdTextSealParameters]] = SynthIdTextSealParameters
    coins_hold_token = True
    chosen = textseal_hash.CHOSEN

    @cached_property
    def _limit(self) -> int:
        return textseal_hash.green_numbers(self.parameters.gamma)

    @cached_property
    def _weights(self) -> tuple[float, ...]:
        return tuple(layer_weights(self.parameters.layers, self.parameters.depth).tolist())

    @property
    def log_choices(self) -> float:
        """All keys: those near a good one are good, too."""
        return textseal_hash.LOG_KEYS

    @property
    def law(self) -> stela.Law:
        """Bits of the very share of green numbers, where that is above gamma, weighed by layer."""
        share = max(self.parameters.gamma, textseal_hash.green_share(self._limit))
        return WideBits(share, self._weights, WIDTH[self.parameters.stride])

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The contexts' part, (n, context_width) -> (n,)."""
        return textseal_hash.context_sums(contexts)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The sums of context and token: pairs of equal sums share all bits under any key."""
        return textseal_hash.pair_sums(seeds, tokens)

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Tokens that share no bit with one before, and are at no distance for the second time."""
        sums = textseal_hash.pair_sums(seeds, tokens)
        parameters = self.parameters
        return free_of_shared_bits(sums, parameters.depth, parameters.stride) & free_of_steps(sums)

    @cached_property
    def _steps(self) -> npt.NDArray[np.uint64]:
        ids = np.arange(self.parameters.depth, dtype=np.uint64) * np.uint64(self.parameters.stride)
        return ids * np.uint64(textseal_hash.OF_TOKEN) + textseal_hash.key_part(self.key)

    def g_values(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Bits of each token, (n,), (n,) -> (n, depth)."""
        sums = textseal_hash.pair_sums(seeds, tokens)
        return np.asarray(textseal_hash.hashes(sums[:, None] + self._steps) < self._limit)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The same as numbers."""
        return self.g_values(seeds, tokens).astype(np.float64)

    def words(self, seed: np.uint64, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The bits of ids (n,) under one seed, (n,): layer l in bit l."""
        sums, out = textseal_hash.pair_sums(np.asarray(seed), ids), np.zeros(len(ids), dtype=np.uint64)
        for layer, step in enumerate(self._steps):
            green = textseal_hash.hashes(sums + step) < self._limit
            out |= green.astype(np.uint64) << np.uint64(layer)
        return out

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of the tournament's winner, (rows, width)."""
        import torch

        from stela_synthid import tournament

        out = torch.full_like(scores, -torch.inf)
        size, depth = min(vocab_size, scores.shape[1]), self.parameters.depth
        for row, seed in enumerate(seeds):
            possible = torch.isfinite(scores[row, :size]).nonzero()[:, 0]
            if len(possible):
                own = self.words(seed, possible.cpu().numpy())
                bits = torch.from_numpy(own.view(np.int64)).to(scores.device)
                out[row, possible] = tournament.update(scores[row, possible][None], bits[None], depth, 2)[0]
        return out

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Score and p-value as TextSeal gives them of these ids, over the whole text.

        Its weighted p-value is a normal tail; below 1e-16 it gives 1e-200, and this does not.
        """
        at = scored_positions(ids, self.context_width, self.parameters.scoring_method)
        bits = self.g_values(self.seeds(self.contexts(ids, at)), ids[at])
        depth, gamma = self.parameters.depth, self.parameters.gamma
        if self.parameters.layers == "mean":
            greens = int(bits.sum())
            return {"TextSeal score": float(greens), "TextSeal p-value": mid_p(greens, bits.size, gamma)}
        weights = np.array(self._weights) * depth
        score = float((bits @ weights).sum())
        variance = gamma * (1 - gamma) * float(weights @ weights) * len(at)
        z = (score - gamma * depth * len(at)) / sqrt(variance) if len(at) else 0.0
        p_value = max(LEAST, erfc(z / sqrt(2)) / 2) if len(at) else 1.0
        return {"TextSeal score": score, "TextSeal p-value": p_value}
