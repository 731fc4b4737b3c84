"""TextSeal's Gumbel marks (Meta, 2026): one key (``gumbelmax``) or two (``textseal``), bit for bit.

Sander et al.: "TextSeal: A Localized LLM Watermark for Provenance & Distillation Protection", arXiv
2605.12456. The hash is in ``stela_kernels/philox/textseal_hash.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.exponential import Exponential
from stela_kernels.philox.textseal_tokens import free_of_steps, scored_positions

import stela_core as stela
from stela_gumbel import textseal_score, uniforms
from stela_gumbel.choosing import GumbelHasher, unkeyed
from stela_gumbel.textseal_law import Paired

DUAL_KEY_OFFSET = 12345
"""Key B is key A and this, where no other is given."""

DEPENDENT = 0.3
"""Largest correlation of the draws under two keys. Of 4,000 random pairs none was above 0.18, 1 in 170 above
0.05."""

WORD = (1 << 64) - 1


class TextSealParameters(stela.SamplingParameters):
    """Parameters of TextSeal's ``WatermarkConfig``."""

    context_width: int = Field(1, ge=1, le=len(textseal_hash.PRIMES))
    """Its ``ngram``: preceding ids."""

    scoring_method: Literal["v1", "v2", "none"] = "v2"
    """What its own score counts once: a context, a pair of context and token, or nothing. Ours counts a pair
    once, always."""


class TextSealDualParameters(TextSealParameters):
    """The same with ``watermark_type`` ``textseal``."""

    mixing_alpha: float = Field(0.5, gt=0, lt=1)
    """Probability that a token is drawn under key A, and key A's weight in the score."""

    own_b: bool = False
    """Whether key B is a separate key; else it is key A and 12345."""


T_co = TypeVar("T_co", bound=TextSealParameters, covariant=True)


class TextSeal(GumbelHasher[T_co]):
    """What both have. A seed is the context's part of the hash: the key is added when a token is."""

    Parameters: ClassVar[type[TextSealParameters]] = TextSealParameters
    noise_of = uniforms.TEXTSEAL
    coins_hold_token = True
    chosen = textseal_hash.CHOSEN

    @property
    def log_choices(self) -> float:
        """All keys, of 64 bits each: those near a good one are good, too."""
        return self.key_words(self.parameters) * textseal_hash.LOG_KEYS

    @property
    def law(self) -> stela.Law:
        """Exp(1), with an upper end: that of the largest of 8,191 numbers."""
        return Exponential(largest=log(textseal_hash.SIZE))

    @property
    def keys(self) -> tuple[int, ...]:
        """The keys, of 64 bits each."""
        return (self.key,)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The contexts' part, (n, context_width) -> (n,)."""
        return textseal_hash.context_sums(contexts)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The sums of context and token: pairs of equal sums share their draw under any key."""
        return textseal_hash.pair_sums(seeds, tokens)

    def independent(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Tokens that are at no distance for the second time: ``stela_kernels/philox/textseal_tokens.py``."""
        return free_of_steps(textseal_hash.pair_sums(seeds, tokens))

    def hashes(
        self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
    ) -> list[npt.NDArray[np.int64]]:
        """Each key's h of tokens, (n,)."""
        sums = textseal_hash.pair_sums(seeds, tokens)
        return [textseal_hash.hashes(sums + textseal_hash.key_part(key)) for key in self.keys]

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """``-log(1 - h / 8191)``, rounded down, (n, keys)."""
        return np.stack([textseal_hash.DRAWS[h] for h in self.hashes(seeds, tokens)], axis=1)

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """Low and high half of what a token's part is added to, (rows, 2), under the first key."""
        return _halves(seeds + textseal_hash.key_part(self.keys[0]))

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Score and p-value as TextSeal gives them of these ids, without a model and over the whole text."""
        at = scored_positions(ids, self.context_width, self.parameters.scoring_method)
        of_keys = self.hashes(self.seeds(self.contexts(ids, at)), ids[at])
        score = textseal_score.score(of_keys, self.law.parts)
        p_value = textseal_score.p_value(score, len(at), self.law.parts)
        return {"TextSeal score": score, "TextSeal p-value": p_value}


class TextSealGumbel(TextSeal[TextSealParameters]):
    """TextSeal's ``gumbelmax``: one key."""

    name = "gumbel-textseal"


class TextSealDual(TextSeal[TextSealDualParameters]):
    """TextSeal's ``textseal``: a token is drawn under key A or, by an unkeyed random number, key B.

    Nobody can tell later which it was: both count, key A by ``mixing_alpha`` and key B by the rest.

    Raises:
        stela.StelaError: the draws under the two keys depend on one another too much.
    """

    name = "gumbel-textseal-dual"
    Parameters = TextSealDualParameters

    def __init__(self, parameters: TextSealDualParameters, key: int) -> None:
        super().__init__(parameters, key)
        if textseal_hash.keys_dependence(*self.keys) > DEPENDENT:
            raise stela.StelaError(
                "keys A and B of TextSeal give tokens draws that are too much alike: no p-value holds.",
                "take another key B (secret_key_b)",
            )

    @classmethod
    def key_words(cls, parameters: Any) -> int:
        """Two where key B is a separate key."""
        return 2 if parameters.own_b else 1

    @property
    def keys(self) -> tuple[int, ...]:
        """Keys A and B."""
        if self.parameters.own_b:
            return self.key >> 64, self.key & WORD
        return self.key, self.key + DUAL_KEY_OFFSET & WORD

    @property
    def law(self) -> stela.Law:
        """A weighted sum of two Exp(1), with what they correlate."""
        alpha, correlation = self.parameters.mixing_alpha, textseal_hash.keys_dependence(*self.keys)
        return Paired((alpha, 1 - alpha), largest=log(textseal_hash.SIZE), correlation=max(0.0, correlation))

    def words(self, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
        """The words of each row, (rows, 2): of key A with probability ``mixing_alpha``, else of key B."""
        part_a, part_b = (textseal_hash.key_part(key) for key in self.keys)
        with_a = unkeyed(len(seeds)) < self.parameters.mixing_alpha
        return _halves(seeds + np.where(with_a, part_a, part_b))


def _halves(u: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    return np.stack([u & np.uint64(0xFFFFFFFF), u >> np.uint64(32)], axis=1).astype(np.uint32)
