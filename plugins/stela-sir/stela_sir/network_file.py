"""Network files: the network, and what it reads of a text, for one vocabulary.

One line of JSON, then numbers, little-endian: a vector of int8 for each id (where no sentence-embedding model
reads the text), the class of each id as int32, and for each of the four layers its weights (int8) and
biases (int32)::

    {"format": "stela-sir/1", "source": "...", "vocabulary": SHA-256, "ids": 8192, "dimensions": 32,
     "hidden": 128, "scales": [30, 40, 50], "model": null}

Tokens of one class have one output of the network in common: its name is its lowest id, and a token without
a class of several is its own. Classes are the clusters of X-SIR (He et al., ACL 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from stela_clusters.contexts import sums
from stela_clusters.head import parts_of, read_head
from stela_clusters.named_files import NamedFiles
from stela_clusters.vocabulary_hash import vocabulary_hash

import stela_core as stela
from stela_core.api import Vocabulary
from stela_sir.network import LAYERS, OUTPUTS, Layer, Network

_AGAIN = "make it again with stela sir train"


class Head(BaseModel):
    """The first line."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["stela-sir/1"]
    source: str = ""
    vocabulary: str = Field(pattern=r"^[0-9a-f]{64}$")
    ids: int = Field(ge=1, le=1 << 22)
    dimensions: int = Field(ge=1, le=1024)
    hidden: int = Field(ge=1, le=1024)
    scales: list[Annotated[int, Field(ge=1, le=1 << 30)]] = Field(
        min_length=LAYERS - 1, max_length=LAYERS - 1
    )
    model: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """(outputs, inputs) of the layers."""
        wide = self.hidden
        return [(wide, self.dimensions), *[(wide, wide)] * (LAYERS - 2), (OUTPUTS, wide)]

    @property
    def sizes(self) -> list[int]:
        """Bytes of each part that follows."""
        vectors = 0 if self.model else self.ids * self.dimensions
        layers = [part for rows, columns in self.shapes for part in (rows * columns, 4 * rows)]
        return [vectors, 4 * self.ids, *layers]


@dataclass(frozen=True, eq=False)
class NetworkFile:
    """A network, and the vocabulary that it is for."""

    network: Network
    vectors: npt.NDArray[np.int8] | None
    """(ids, dimensions); ``None`` where a sentence-embedding model reads the context."""
    classes: npt.NDArray[np.int64]
    """Lowest id of each id's class, (ids,)."""
    vocabulary: str
    """Fingerprint of the token bytes that the ids stand for."""
    model: str | None
    """Hash of the sentence-embedding model."""

    def of_contexts(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Sums of the vectors of contexts' ids, (n, width) -> (n, dimensions); others count for nothing."""
        assert self.vectors is not None
        return sums(self.vectors, contexts)

    def classes_of(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The class of each token, (n,); an id past the vocabulary is its own."""
        size = len(self.classes)
        return np.where(tokens < size, self.classes[np.minimum(tokens, size - 1)], tokens)

    def require_fits(self, tokens: Vocabulary) -> None:
        """Check that the ids are those of a vocabulary.

        Raises:
            StelaError: they are another's.
        """
        if self.vocabulary != vocabulary_hash(tokens):
            raise stela.StelaError(
                "the network is for another tokenizer's ids.",
                "train one for this model: stela sir train --model M --corpus F.jsonl -o FILE",
            )


@lru_cache(maxsize=2)
def parsed(data: bytes, what: str) -> NetworkFile:
    """What the bytes of a network file say.

    Raises:
        StelaError: they are not of the format.
    """
    head, body = read_head(data, Head, what, _AGAIN)
    vectors, classes, *layers = parts_of(body, head.sizes, what, _AGAIN)
    ids = np.frombuffer(classes, dtype="<i4").astype(np.int64)
    if not ((ids >= 0) & (ids <= np.arange(len(ids)))).all() or not (ids[ids] == ids).all():
        raise stela.StelaError(f"{what}: a class is not named by its lowest id.", _AGAIN)
    numbers = zip(layers[::2], layers[1::2], head.shapes, [*head.scales, 1], strict=True)
    network = Network(
        [
            Layer(np.frombuffer(w, np.int8).reshape(shape), np.frombuffer(b, "<i4").astype(np.int32), scale)
            for w, b, shape, scale in numbers
        ]
    )
    table = None if head.model else np.frombuffer(vectors, np.int8).reshape(head.ids, head.dimensions)
    return NetworkFile(network, table, ids, head.vocabulary, head.model)


FILES = NamedFiles(
    plugin="sir",
    parameter="network",
    what="network",
    made_by="stela sir train",
    largest=512 << 20,
    shipped={"tiny": Path(__file__).parent / "nets" / "tiny.bin"},
    parse=parsed,
)


def network_file(
    layers: Sequence[Layer],
    vectors: npt.NDArray[np.int8] | None,
    classes: npt.NDArray[np.int64],
    vocabulary: str,
    source: str,
    model: str | None = None,
) -> bytes:
    """The bytes of a file; arguments as in :class:`NetworkFile`."""
    hidden, dimensions = layers[0].weights.shape
    head = Head(
        format="stela-sir/1",
        source=source,
        vocabulary=vocabulary,
        ids=len(classes),
        dimensions=dimensions,
        hidden=hidden,
        scales=[layer.scale for layer in layers[:-1]],
        model=model,
    )
    numbers = [
        part for layer in layers for part in (layer.weights.tobytes(), layer.biases.astype("<i4").tobytes())
    ]
    table = b"" if vectors is None else vectors.tobytes()
    return b"\n".join(
        [head.model_dump_json().encode(), table + classes.astype("<i4").tobytes() + b"".join(numbers)]
    )
