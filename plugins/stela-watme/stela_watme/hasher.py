"""The hasher ``watme``: the core's split, even inside clusters of interchangeable tokens."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pydantic import Field, model_validator
from stela_clusters.balanced import Clusters
from stela_clusters.hasher import BalancedHasher
from stela_clusters.named_files import CHOSEN

import stela_core as stela
from stela_core.api import Vocabulary
from stela_watme.cluster_file import FILES, clusters_of


class WatmeParameters(stela.HasherParameters):
    """Which tokens are interchangeable."""

    clusters: str = "wordnet"
    """``wordnet`` (English synonyms, any tokenizer), ``tiny`` (neighbours in stela-tiny's embeddings, for its
    tokenizer; English, Chinese, Korean) or the SHA-256 of a file that ``stela watme`` made or kept."""

    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of a shipped file, taken from it where a profile is made: another is refused from then on."""

    @model_validator(mode="before")
    @classmethod
    def _pin(cls, values: Any) -> Any:
        """Note the SHA-256 of the file that is chosen now."""
        return FILES.pinned(values, "wordnet")


class WatmeHasher(BalancedHasher):
    """Seeds and colours of ``keyed``; but of each cluster of interchangeable tokens a share gamma is green.

    Which of them is drawn for every hash context anew. Tokens in no cluster are coloured as ``keyed`` does.
    """

    name = "watme"
    chosen = CHOSEN
    Parameters = WatmeParameters

    @cached_property
    def log_choices(self) -> float:
        """0 with clusters that come along; else all files, as clusters may have been chosen for the text."""
        assert isinstance(self.parameters, WatmeParameters)
        return FILES.log_choices(self.parameters.clusters)

    def find_clusters(self, tokens: Vocabulary) -> Clusters:
        """The clusters of the named file.

        Raises:
            StelaError: the file is missing, another one, or of another vocabulary.
        """
        assert isinstance(self.parameters, WatmeParameters)
        return clusters_of(FILES.read(self.parameters.clusters, self.parameters.sha256), tokens)
