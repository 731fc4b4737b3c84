"""The public file of a mark of sentences, ``NAME.json``: all that a detector needs but a secret key."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

import stela_core as stela
from stela_core.api import KeyPart, parse_json, parse_parameters, read_bounded
from stela_sentence.partitions import Bands, Centres, Partition, Planes

FORMAT: Final = "stela-sentence/1"

MOST_BYTES = 16 << 20

HINT = "make one with stela sentence new"

Kind = Literal["semstamp", "k-semstamp", "simmark"]

NEEDS: dict[Kind, set[str]] = {"semstamp": {"bits"}, "k-semstamp": {"centres"}, "simmark": {"bits", "edges"}}
"""Fields of each kind that the others lack."""

Number = Annotated[int, Field(ge=-1024, le=1024)]
Row = Annotated[tuple[Number, ...], Field(min_length=1, max_length=4096)]


class EmbedderPart(stela.Parameters):
    """What makes vectors of sentences."""

    name: Literal["ngrams", "model"]
    """The built-in one, or a sentence-embedding model."""
    fingerprint: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """Fingerprint of a model: hash of its tokenizer and weights. The file does not say where it is."""

    @model_validator(mode="after")
    def _has_its_hash(self) -> Self:
        if (self.name == "model") != (self.fingerprint is not None):
            raise ValueError("a model has a fingerprint, and ngrams has none")
        return self


class MarkFile(stela.Parameters):
    """A mark of sentences."""

    format: Literal["stela-sentence/1"]
    kind: Kind
    embedder: EmbedderPart
    mean: Row
    """Subtracted from each embedding."""
    bits: int | None = Field(None, ge=1, le=16)
    """Number of planes, of ``semstamp`` and ``simmark``."""
    centres: tuple[Row, ...] | None = Field(None, min_length=2, max_length=1024)
    """Centres of ``k-semstamp``."""
    edges: tuple[Annotated[float, Field(ge=-1, le=1)], ...] | None = Field(
        None, min_length=1, max_length=1023
    )
    """Edges of ``simmark`` between bands of the cosine, ascending."""
    gamma: float = Field(0.25, ge=0.05, le=0.9)
    """Probability that a region is valid after another."""
    margin: float = Field(0.0, ge=0, le=1)
    """Least distance of a kept sentence from the nearest other region."""
    alpha: float = Field(0.001, gt=0, le=0.05)
    """Largest p-value that is called watermarked."""
    key: KeyPart

    _digest: str = PrivateAttr("")

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        given = {name for name in ("bits", "centres", "edges") if getattr(self, name) is not None}
        if given != NEEDS[self.kind]:
            raise ValueError("semstamp has bits, k-semstamp centres, simmark bits and edges, and no other")
        for row in self.centres or ():
            if len(row) != len(self.mean) or not any(row):
                raise ValueError("each centre has a number for each of mean, and is not 0")
        if self.edges and any(b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise ValueError("edges do not ascend")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes it was read from, or would be written as."""
        return self._digest or hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def regions(self) -> int:
        """How many there are."""
        if self.edges is not None:
            return len(self.edges) + 1
        return len(self.centres) if self.centres is not None else 1 << (self.bits or 0)

    def partition(self, key: int) -> Partition:
        """What gives embeddings less the mean their regions."""
        if self.centres is not None:
            return Centres(np.array(self.centres, dtype=np.int64))
        planes = Planes(key, self.bits or 0, len(self.mean))
        return planes if self.edges is None else Bands(np.array(self.edges, dtype=np.float64), planes)

    def to_bytes(self) -> bytes:
        """The file."""
        return self.model_dump_json(exclude_none=True).encode() + b"\n"


def read_mark_file(path: str | Path) -> MarkFile:
    """A mark of a file, checked; a stranger may have written it.

    Raises:
        StelaError: it is missing, longer than 16 MiB, no JSON, or says something that no mark can.
    """
    what = f'mark "{path}"'
    data = read_bounded(path, MOST_BYTES, what, HINT)
    content: Any = parse_json(data, what, HINT)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise stela.StelaError(f"{what} is not a mark of sentences ({FORMAT}).", HINT)
    mark = parse_parameters(MarkFile, content, what, read=True)
    mark._digest = hashlib.sha256(data).hexdigest()
    return mark
