"""The hasher ``lsh``: a seed for contexts of nearly one meaning, a split even inside clusters of meaning."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator
from stela_clusters.balanced import Clusters
from stela_clusters.contexts import texts
from stela_clusters.hasher import BalancedHasher
from stela_clusters.named_files import CHOSEN

import stela_core as stela
from stela_core.api import Vocabulary
from stela_lsh.embedding_file import FILES, Embedding
from stela_lsh.projections import codes, seeds_of_codes, signs

PURPOSE = 'hasher "lsh" with a sentence-embedding model'


MODEL_CHOICES = 1e6
"""Least logarithm of the number of sentence-embedding models; more than any p-value outweighs."""


class LshParameters(stela.HasherParameters):
    """What meaning is measured by, and how finely."""

    context_width: int = Field(2, ge=1, le=64)
    """Preceding token ids whose meaning seeds the split."""

    bits: int = Field(8, ge=1, le=32)
    """Bits of a context's hash: more tell more contexts apart, and lose more seeds under edits."""

    embedding: str = "tiny"
    """``tiny`` (stela-tiny's tokenizer) or the SHA-256 of a file that ``stela lsh embed`` or ``keep`` kept:
    vectors and clusters of the model's tokens."""

    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of a shipped file, taken from it where a profile is made: another is refused from then on."""

    model: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """Hash, by ``stela lsh model``, of a sentence-embedding model that reads the context's text instead."""

    @model_validator(mode="before")
    @classmethod
    def _pin(cls, values: Any) -> Any:
        """Note the SHA-256 of the file that is chosen now."""
        return FILES.pinned(values, "tiny")


class LshHasher(BalancedHasher):
    """Seeds by the signs of keyed projections of the context's embedding; colours even in each cluster."""

    name = "lsh"
    chosen = CHOSEN
    Parameters = LshParameters

    @property
    def _chosen(self) -> LshParameters:
        assert isinstance(self.parameters, LshParameters)
        return self.parameters

    @cached_property
    def _embedding(self) -> Embedding:
        return FILES.read(self._chosen.embedding, self._chosen.sha256)

    @cached_property
    def log_choices(self) -> float:
        """0 with vectors that come along; else all files or models, which may be fitted to the text."""
        model = 0.0 if self._chosen.model is None else MODEL_CHOICES
        return model + FILES.log_choices(self._chosen.embedding)

    def find_clusters(self, tokens: Vocabulary) -> Clusters:
        """The clusters of the named file.

        Raises:
            StelaError: the file is missing, another one, or of another vocabulary.
        """
        self._embedding.require_fits(tokens)
        return self._embedding.clusters

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The seed of each context's hash, (n, context_width) -> (n,)."""
        if not len(contexts):
            return np.empty(0, dtype=np.uint64)
        return seeds_of_codes(self.key, self.hashes(contexts))

    def hashes(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The bits of each context as one number below ``2**bits``, (n, context_width) -> (n,)."""
        vectors = self.vectors(contexts)
        return codes(vectors, signs(self.key, self._chosen.bits, vectors.shape[1]))

    def vectors(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The embedding of each context in whole numbers, (n, context_width) -> (n, dimensions)."""
        if self._chosen.model is None:
            return self._embedding.of_contexts(contexts)
        from stela_models.known_sentence_models import known_sentence_model

        tokens = self._vocabulary
        if tokens is None:
            raise stela.StelaError('hasher "lsh" has no vocabulary yet.', "call bind(tokens) first")
        model = known_sentence_model(self._chosen.model, PURPOSE, "stela lsh model")
        return model.vectors(texts(tokens, contexts))
