"""SGLang's Gumbel mark (0.5.23), with one key or two, bit for bit (``sglang_hash.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox.draws import exponential_draws

import stela_core as stela
from stela_gumbel import sglang_hash, sglang_score, uniforms
from stela_gumbel.choosing import GumbelHasher

if TYPE_CHECKING:
    import torch

WORD = (1 << 64) - 1


class SglangParameters(stela.SamplingParameters):
    """Parameters of SGLang's ``WatermarkServerConfig``."""

    context_width: int = Field(4, ge=1, le=64)
    """Its ``context_window``: preceding ids of prompt and generated text."""

    mixing_probability: float | None = Field(None, gt=0, lt=1)
    """Share of contexts that belong to key A, where there are two keys; ``None``: there is one."""

    max_probability: float = Field(1.0, gt=0, le=1)
    """A token is drawn without a mark where one is likelier than this."""


class Sglang(GumbelHasher[SglangParameters]):
    """A seed is the context's hash of 32 bits; with two keys a coin of it says which one marks.

    Each token is scored under its context's own key, so that its signal is one Exp(1).
    """

    name = "gumbel-sglang"
    Parameters = SglangParameters
    reads_prompt = True
    noise_of = uniforms.SGLANG
    bits = sglang_hash.BITS

    @classmethod
    def key_words(cls, parameters: Any) -> int:
        """Two where there is a mixing probability: keys A and B."""
        return 1 if parameters.mixing_probability is None else 2

    @property
    def log_choices(self) -> float:
        """96 log 2 for two keys: a state of 32 bits of each, and one of their coin, chosen one by one."""
        return 0.0 if self.key_words(self.parameters) == 1 else 96 * log(2)

    @property
    def first_only(self) -> bool:
        """True: a repeated context is never marked or scored again."""
        return True

    @property
    def most_contexts(self) -> int | None:
        """4,096."""
        return sglang_score.MOST_CONTEXTS

    @property
    def keys(self) -> tuple[int, ...]:
        """Key A, or keys A and B."""
        return (self.key,) if self.key_words(self.parameters) == 1 else (self.key >> 64, self.key & WORD)

    def contexts(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """The last ids before each position, (n, context_width), -1 in front where there are fewer."""
        width = self.context_width
        first = max(0, int(positions.min(initial=len(ids))) - width)  # of a long text's next token, the end
        padded = np.concatenate([np.full(width, sglang_hash.NONE, dtype=np.int64), ids[first:]])
        return np.asarray(padded[positions[:, None] - first + np.arange(width)])

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Hashes of the contexts, (n, context_width) -> (n,)."""
        return sglang_hash.context_hashes(contexts).astype(np.uint64)

    def states(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """The states, (n,), that only want the token, each under its context's key."""
        contexts = seeds.astype(np.uint32)
        of_keys = [sglang_hash.row_states(key, contexts) for key in self.keys]
        if self.parameters.mixing_probability is None:
            return of_keys[0]
        key_a, key_b = self.keys
        with_a = sglang_hash.takes_a(key_a, key_b, contexts, self.parameters.mixing_probability)
        return np.where(with_a, *of_keys)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - x / 2**32)``, rounded down, (n, 1); SGLang's own are those of x + 1/2."""
        return exponential_draws(sglang_hash.numbers(self.states(seeds), tokens), self.bits)[:, None]

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """The state of each row, (rows, 1)."""
        return self.states(seeds)[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """The marked scores; a row with a token likelier than ``max_probability`` keeps its scores."""
        out, most = super().mark(scores, seeds, vocab_size), self.parameters.max_probability
        if most < 1:
            sure = scores[:, :vocab_size].float().softmax(-1).amax(-1) > most
            out[sure] = scores[sure]
        return out

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """The same for an array."""
        out, most = super().mark_array(scores, seeds, vocab_size), self.parameters.max_probability
        if most < 1:
            logits = scores[:, :vocab_size].astype(np.float64)
            with np.errstate(invalid="ignore"):  # a row of nothing but -inf
                over = np.exp(logits - logits.max(axis=1, keepdims=True)).sum(axis=1)
            sure = 1 / over > most
            out[sure] = scores[sure]
        return out

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """SGLang's own statistics of the scored tokens; with two keys, log p of each, too."""
        if len(positions) and not positions[0]:  # its context is of a prompt that is not among the ids
            return {}
        contexts = self.seeds(self.contexts(ids, positions)).astype(np.uint32)
        mixing = self.parameters.mixing_probability
        theirs = sglang_score.detection(self.keys, contexts, ids[positions], mixing or 0.5)
        own = theirs.combined
        shown = {
            "SGLang score": own.score,
            "SGLang z": own.z_score,
            "SGLang p-value": own.p_value,
            "SGLang log p": own.log_p_value,
        }
        more = {
            "key A, all positions": theirs.key_a_all_positions if len(self.keys) > 1 else None,
            "key B, all positions": theirs.key_b_all_positions,
            "key A, its positions": theirs.key_a_partition,
            "key B, its positions": theirs.key_b_partition,
        }
        return shown | {f"SGLang log p, {name}": one.log_p_value for name, one in more.items() if one}
