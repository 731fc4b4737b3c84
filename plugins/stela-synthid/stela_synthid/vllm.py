"""vLLM's SynthID: a tournament whose bits are those of a Philox word (``vllm_words.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox.vllm import states

import stela_core as stela
from stela_synthid import vllm_words
from stela_synthid.layer_weights import Layers, layer_weights
from stela_synthid.layered_bits import LayeredBits, bits_tail

if TYPE_CHECKING:
    import torch


class SynthIdVllmParameters(stela.SamplingParameters):
    """Parameters of vLLM's ``WatermarkConfig``, and how layers are weighed."""

    context_width: int = Field(4, ge=1, le=64)
    """Preceding ids of the generated text; -1 stands in front of it."""

    depth: int = Field(32, ge=1, le=64)
    """Layers of the tournament."""

    layers: Layers = "weighted"
    """Layers count by weights that fall from 10 to 1, or all alike (``mean``, as in vLLM), at detection."""

    deduplicate_contexts: Literal["none", "single_turn", "all"] = "single_turn"
    """The texts in which a repeated context is not marked again. For one text ``all`` is ``single_turn``."""


class SynthIdVllm(stela.SamplingHasher[SynthIdVllmParameters]):
    """A token's signal is the (weighted) mean of ``depth`` bits. A seed is the state of Philox, 128 bits."""

    name = "synthid-vllm"
    Parameters: ClassVar[type[SynthIdVllmParameters]] = SynthIdVllmParameters
    padding = -1
    seed_words = 2

    @property
    def law(self) -> stela.Law:
        """Fair bits, weighed by layer."""
        return LayeredBits(0.5, self._weights)

    @cached_property
    def _weights(self) -> tuple[float, ...]:
        return tuple(layer_weights(self.parameters.layers, self.parameters.depth).tolist())

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

    def g_values(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Bits of each token, (n, 2), (n,) -> (n, depth)."""
        depth = self.parameters.depth
        own = vllm_words.words(self.key, seeds, tokens, depth)
        bits: npt.NDArray[np.uint8] = (
            own[:, None] >> np.arange(depth, dtype=np.uint64) & np.uint64(1)
        ).astype(np.uint8)
        return bits

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The same as numbers."""
        return self.g_values(seeds, tokens).astype(np.float64)

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of the tournament's winner, (rows, width)."""
        import torch

        from stela_synthid import tournament

        out = torch.full_like(scores, -torch.inf)
        size, depth = min(vocab_size, scores.shape[1]), self.parameters.depth
        for row, seed in enumerate(seeds):
            # What cannot be drawn needs no layers and no words: after a truncation that is nearly all.
            possible = torch.isfinite(scores[row, :size]).nonzero()[:, 0]
            if len(possible):
                ids = possible.cpu().numpy()
                if 4 * len(ids) < size:
                    own = vllm_words.words(self.key, seed[None].repeat(len(ids), axis=0), ids, depth)
                else:  # one Philox for four ids
                    own = vllm_words.vocabulary_words(self.key, seed, size, depth)[ids]
                bits = torch.from_numpy(own.view(np.int64)).to(scores.device)
                marked = tournament.update(scores[row, possible][None], bits[None], depth, 2)
                out[row, possible] = marked[0]
        return out

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Score and p-value of the scored tokens as vLLM gives them: all layers alike."""
        if not len(positions):
            return {}
        bits = self.g_values(self.seeds(self.contexts(ids, positions)), ids[positions]).reshape(-1)
        return {
            "vLLM score": float(bits.mean()),
            "vLLM p-value": bits_tail(bits > 0, np.ones(len(bits))),
        }
