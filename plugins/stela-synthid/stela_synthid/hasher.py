"""SynthID-Text as transformers and the package synthid-text define it: g-values of n-grams, a tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

import stela_core as stela
from stela_synthid import many_keys, ngrams
from stela_synthid.layer_keys import layer_keys, log_choices, require_apart
from stela_synthid.layer_weights import Layers, layer_weights
from stela_synthid.layered_bits import LayeredBits
from stela_synthid.mean_scores import mean_scores, new_contexts
from stela_synthid.sampling_table import sampling_table, share_of_ones

if TYPE_CHECKING:
    import torch

LEAST_TABLE = 1 << 12
"""Least size of a table: over smaller ones the bits of n-grams are too dependent for the p-value's law."""


class SynthIdParameters(stela.SamplingParameters):
    """Parameters of ``SynthIDTextWatermarkingConfig``, and how the layers' keys are had and weighed."""

    context_width: int = Field(4, ge=1, le=31)
    """Preceding ids that are hashed: one less than ``ngram_len``."""

    depth: int = Field(30, ge=1, le=64)
    """Layers of the tournament, one bit of evidence each (m in the paper)."""

    derived: bool = True
    """Whether the layers' keys are derived from one of 64 bits; else the key holds all of them, and no two
    may be equal modulo the table's size."""

    layers: Layers = "weighted"
    """Layers count by weights that fall from 10 to 1, or all alike (``mean``), at detection."""

    leaves: int = Field(2, ge=2, le=64)
    """Candidates of a match: 2 leave the model's distribution as it is, more distort it."""

    table_seed: int = Field(0, ge=0, lt=2**63)
    """Seed of the public table of bits."""

    table_size: int = Field(1 << 16, ge=LEAST_TABLE, le=1 << 24)
    """Bits of the table, a power of two."""

    skip_first: bool = False
    """Whether the first ``context_width`` tokens are left unmarked (``skip_first_ngram_calls``)."""

    @field_validator("table_size")
    @classmethod
    def _power_of_two(cls, size: int) -> int:
        if size & (size - 1):
            raise ValueError("is not a power of two")
        return size


class SynthIdHasher(stela.SamplingHasher):
    """A token's signal is the (weighted) mean of ``depth`` bits, one a layer.

    A seed is the hash of the context, without the key. Zeros stand in front of the text, and a context
    that occurred before is neither marked nor scored.
    """

    name = "synthid"
    Parameters: ClassVar[type[SynthIdParameters]] = SynthIdParameters

    coins_hold_token: ClassVar[bool] = True
    """N-grams of any tokens whose hashes agree in their low bits share all their bits: one draw."""

    def __init__(self, parameters: SynthIdParameters, key: int) -> None:
        super().__init__(parameters, key)
        self.settings = parameters
        self.keys = layer_keys(key, parameters.depth, parameters.derived)
        # Derived ones are draws: that two agree is as rare as the p-value takes it to be.
        if not parameters.derived:
            require_apart(self.keys, parameters.table_size)

    @classmethod
    def key_words(cls, parameters: stela.Parameters) -> int:
        """One word of 64 bits, or one for each layer."""
        assert isinstance(parameters, SynthIdParameters)
        return 1 if parameters.derived else parameters.depth

    @property
    def log_choices(self) -> float:
        """The choices of all layers, where the key holds a key for each: they are chosen one by one."""
        chosen = self.settings
        return 0.0 if chosen.derived else log_choices(chosen.depth, chosen.table_size)

    @property
    def law(self) -> stela.Law:
        """Bits of the table's share of ones, weighed by layer."""
        share = share_of_ones(self.settings.table_seed, self.settings.table_size)
        return LayeredBits(share, self._weights)

    @property
    def gains(self) -> Mapping[str, tuple[float, float, float, float]]:
        """Gains of the usual tournament, on texts at temperature 0.7 (``python -m benchmarks.freedom``)."""
        usual = {"depth": 30, "leaves": 2, "layers": "weighted"}
        if any(getattr(self.settings, name) != value for name, value in usual.items()):
            return {}
        return {"tiny en": (1.29, 1.04, 0.105, 0.0)}

    @cached_property
    def _weights(self) -> tuple[float, ...]:
        return tuple(layer_weights(self.settings.layers, self.settings.depth).tolist())

    @property
    def padding(self) -> int | None:  # type: ignore[override]
        """Zero, as in transformers; ``None`` where the first tokens are left unmarked."""
        return None if self.settings.skip_first else 0

    @property
    def first_only(self) -> bool:
        """True: a repeated context is left unmarked, which keeps the model's distribution over texts."""
        return True

    @property
    def table(self) -> npt.NDArray[np.uint8]:
        """The public bits, (table_size,)."""
        return sampling_table(self.settings.table_seed, self.settings.table_size)

    @cached_property
    def words(self) -> npt.NDArray[np.uint64]:
        """All layers' bits of every coin, (table_size,)."""
        return ngrams.words(self.keys, self.table)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Hashes of the contexts, (n, context_width) -> (n,)."""
        return ngrams.context_hashes(contexts)

    def g_values(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Bits of each token, (n,), (n,) -> (n, depth)."""
        return ngrams.g_values(ngrams.ngram_hashes(seeds, tokens), self.keys, self.table)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The same as numbers."""
        return self.g_values(seeds, tokens).astype(np.float64)

    def sums_under(
        self,
        keys: Sequence[int],
        contexts: npt.NDArray[np.int64],
        tokens: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Weighted sums of the bits, (keys,): n-grams are hashed once, and each key shifts the table."""
        settings = self.settings
        size = settings.table_size
        layers = many_keys.layer_keys_under(keys, settings.depth, settings.derived, size)
        coins = self.coins(self.seeds(contexts), tokens)
        return many_keys.weighted_bits(coins, ngrams.shifts(layers, size), self.table, weights)

    def coins(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """What the layers' keys shift, (n,), (n,) -> (n,)."""
        return ngrams.coins(ngrams.ngram_hashes(seeds, tokens), self.settings.table_size)

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """Logits of the tournament's winner, (rows, width)."""
        from stela_synthid import tournament

        depth, leaves = self.settings.depth, self.settings.leaves
        return tournament.mark(scores, seeds, self.words, depth, leaves, vocab_size)

    def detector_input(
        self, ids: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """What SynthID's own detectors see of a text's ids (t,): bits (n, depth), and who counts, (n,).

        These are the tokens after the first ``context_width``; a repeated context does not count.
        """
        if len(ids) <= self.context_width:
            return np.empty((0, self.settings.depth), dtype=np.uint8), np.empty(0, dtype=np.bool_)
        grams = np.lib.stride_tricks.sliding_window_view(ids, self.context_width + 1)
        seeds = self.seeds(grams[:, :-1])
        return self.g_values(seeds, grams[:, -1]), new_contexts(seeds)

    def foreign_scores(
        self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]
    ) -> Mapping[str, float]:
        """Mean and weighted mean score as the package synthid-text gives them."""
        return mean_scores(*self.detector_input(ids))
