"""vLLM's Gumbel mark by ``hmac_sha256``, bit for bit: a key of 256 bits, and no Philox.

Read in ``vllm/v1/watermarking/prfs/hmac_sha256.py`` and ``gumbel.py`` (commit 3da8712b5fbb), before a
release; releases have only Philox. With HMAC-SHA-256 (RFC 2104) under the key's 32 bytes, little-endian::

    word = first 4 bytes of HMAC("vllm-watermark-hmac-sha256-v1" | 0 | w | context | token), little-endian

0 in one byte, w in 4, ids in 8, signed, little-endian; -1 stands before the text. Uniforms are as of Philox.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Mapping
from math import exp, log
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox.draws import exponential_draws
from stela_kernels.philox.exponential import Exponential

import stela_core as stela
from stela_core.api import keyed_seeds
from stela_gumbel import vllm_hash, vllm_score

if TYPE_CHECKING:
    import torch

DOMAIN = b"vllm-watermark-hmac-sha256-v1\0"


class VllmHmacParameters(stela.SamplingParameters):
    """Parameters of vLLM's ``WatermarkConfig`` as it was at that commit."""

    context_width: int = Field(4, ge=1, le=16)
    """Preceding ids of the generated text; -1 stands in front of it."""


class VllmHmac(stela.SamplingHasher[VllmHmacParameters]):
    """A seed is the context itself, a word an id. Each candidate costs an HMAC: marking is slow."""

    name = "gumbel-vllm-hmac"
    Parameters: ClassVar[type[VllmHmacParameters]] = VllmHmacParameters
    padding = -1

    @classmethod
    def key_words(cls, parameters: Any) -> int:
        """256 bits."""
        return 4

    @property
    def seed_words(self) -> int:  # type: ignore[override]
        """An id each."""
        return self.context_width

    @property
    def law(self) -> stela.Law:
        """Exp(1), with an upper end: that of the largest number."""
        return Exponential(largest=vllm_hash.BITS * log(2))

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The ids, as words of 64 bits: (n, context_width), or (n,) where that is 1."""
        ids = np.ascontiguousarray(contexts, dtype=np.int64).view(np.uint64)
        return ids[:, 0] if ids.shape[1] == 1 else ids

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """A hash of the context."""
        return keyed_seeds(0, self._contexts(seeds))

    def numbers(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        """The numbers m (n,) of tokens (n,) under their contexts, below 2**24."""
        width, key = self.context_width, self.key.to_bytes(32, "little")
        start = hmac.new(key, DOMAIN + struct.pack("<I", width), "sha256")
        own = np.empty(len(tokens), dtype=np.uint32)
        rows = zip(self._contexts(seeds), tokens.tolist(), strict=True)
        for n, (context, token) in enumerate(rows):
            state = start.copy()
            state.update(context.astype("<i8").tobytes() + struct.pack("<q", token))
            own[n] = int.from_bytes(state.digest()[:4], "little") >> 8
        return own

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - m / 2**24)``, rounded down, (n, 1)."""
        return exponential_draws(self.numbers(seeds, tokens), vllm_hash.BITS)[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """New scores (rows, width): 0 at the chosen token, minus infinity elsewhere."""
        import torch

        made = self.mark_array(scores.detach().double().cpu().numpy(), seeds, vocab_size)
        return torch.from_numpy(made).to(scores.device, scores.dtype)

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """The same for an array. A row without a finite score is copied."""
        out = np.full_like(scores, -np.inf)
        for row, seed in enumerate(seeds):
            logits = scores[row, :vocab_size].astype(np.float64)
            # What cannot be drawn needs no HMAC: after a truncation that is nearly all.
            ids = np.flatnonzero(logits > -np.inf)
            if not len(ids):
                out[row] = scores[row]
                continue
            of_row = np.broadcast_to(seed, (len(ids), *np.shape(seed)))
            u = vllm_hash.uniforms(self.numbers(of_row, ids)).astype(np.float64)
            out[row, ids[int(np.argmax(logits[ids] - np.log(-np.log(u))))]] = 0
        return out

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Score and p-value as vLLM's detector gives them: each context at its first place."""
        contexts = self.contexts(ids, positions)
        first = np.sort(np.unique(contexts, axis=0, return_index=True)[1])
        numbers = self.numbers(self.seeds(contexts[first]), ids[positions[first]])
        score = vllm_score.score([numbers], (1.0,))
        return {"vLLM score": score, "vLLM p-value": exp(vllm_score.log_p_value(score, len(first)))}

    def _contexts(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        return np.ascontiguousarray(seeds).view(np.int64).reshape(len(seeds), -1)
