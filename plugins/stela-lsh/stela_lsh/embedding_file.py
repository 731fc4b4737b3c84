"""Embedding files: a short vector of whole numbers and a cluster for each token id of one vocabulary.

One line of JSON, then ids times dimensions of int8, then a number of a cluster for each id as little-endian
int32, -1 for none::

    {"format": "stela-embedding/1", "source": "...", "vocabulary": SHA-256, "ids": 8192, "dimensions": 32}
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from stela_clusters.balanced import Clusters
from stela_clusters.contexts import sums
from stela_clusters.head import parts_of, read_head
from stela_clusters.named_files import NamedFiles
from stela_clusters.vocabulary_hash import vocabulary_hash

import stela_core as stela
from stela_core.api import Vocabulary

_AGAIN = "make it again with stela lsh embed"


class Head(BaseModel):
    """The first line."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["stela-embedding/1"]
    source: str = ""
    vocabulary: str = Field(pattern=r"^[0-9a-f]{64}$")
    ids: int = Field(ge=1, le=1 << 22)
    dimensions: int = Field(ge=1, le=256)


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vectors and clusters of a vocabulary's ids."""

    vectors: npt.NDArray[np.int8]
    """(ids, dimensions)."""
    clusters: Clusters
    vocabulary: str
    """Fingerprint of the token bytes that the ids stand for."""

    def of_contexts(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Sums of the vectors of contexts' ids, (n, width) -> (n, dimensions); others count for nothing."""
        return sums(self.vectors, contexts)

    def require_fits(self, tokens: Vocabulary) -> None:
        """Check that the ids are those of a vocabulary.

        Raises:
            StelaError: they are another's.
        """
        if self.vocabulary != vocabulary_hash(tokens):
            raise stela.StelaError(
                "the embedding is of another tokenizer's ids.",
                "make one of this model: stela lsh embed --model M -o FILE",
            )


@lru_cache(maxsize=2)
def parsed(data: bytes, what: str) -> Embedding:
    """What the bytes of an embedding file say.

    Raises:
        StelaError: they are not of the format.
    """
    head, body = read_head(data, Head, what, _AGAIN)
    sizes = head.ids * head.dimensions, 4 * head.ids
    numbers, clusters = parts_of(body, sizes, what, _AGAIN)
    vectors = np.frombuffer(numbers, dtype=np.int8).reshape(head.ids, head.dimensions)
    labels = np.frombuffer(clusters, dtype="<i4").astype(np.int64)
    return Embedding(vectors, clusters_of(labels), head.vocabulary)


FILES = NamedFiles(
    plugin="lsh",
    parameter="embedding",
    what="embedding",
    made_by="stela lsh embed",
    largest=64 << 20,
    shipped={"tiny": Path(__file__).parent / "embeddings" / "tiny.bin"},
    parse=parsed,
)


def clusters_of(labels: npt.NDArray[np.int64]) -> Clusters:
    """The clusters of ids that have one number, (ids,); ids of negative ones are in none."""
    ids = np.argsort(labels, kind="stable")
    ids = ids[labels[ids] >= 0]
    starts = np.flatnonzero(np.diff(labels[ids])) + 1
    return Clusters.of(part.tolist() for part in np.split(ids, starts))


def embedding_file(
    vectors: npt.NDArray[np.int8], labels: npt.NDArray[np.int64], vocabulary: str, source: str
) -> bytes:
    """The bytes of a file of vectors (ids, dimensions) and numbers of clusters (ids,)."""
    ids, dimensions = vectors.shape
    head = Head(
        format="stela-embedding/1", source=source, vocabulary=vocabulary, ids=ids, dimensions=dimensions
    )
    return head.model_dump_json().encode() + b"\n" + vectors.tobytes() + labels.astype("<i4").tobytes()
