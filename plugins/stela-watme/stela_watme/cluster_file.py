"""Cluster files: groups of words, or of token ids of one vocabulary, in JSON.

::

    {"format": "stela-clusters/1", "source": "...", "words": [["big", "large"], ...]}
    {"format": "stela-clusters/1", "source": "...", "vocabulary": SHA-256, "ids": [[17, 311], ...]}

Words serve any tokenizer: what it has as one token is clustered (``word_forms.py``). Ids serve the vocabulary
whose :func:`stela_clusters.vocabulary_hash.vocabulary_hash` they name. No word and no id is in two groups.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from stela_clusters.balanced import Clusters
from stela_clusters.named_files import NamedFiles
from stela_clusters.vocabulary_hash import vocabulary_hash

import stela_core as stela
from stela_core.api import Vocabulary, describe, parse_json
from stela_watme.word_forms import ids_of_words


class ClusterFile(BaseModel):
    """What a cluster file says."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["stela-clusters/1"]
    source: str = ""
    words: list[list[str]] | None = None
    vocabulary: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    ids: list[list[int]] | None = None


@lru_cache(maxsize=4)
def parsed(data: bytes, what: str) -> ClusterFile:
    """What the bytes of a cluster file say.

    Raises:
        StelaError: they are not of the format.
    """
    again = "make it again with stela watme clusters"
    value = parse_json(data, what, again)
    try:
        file = ClusterFile.model_validate(value)
    except ValidationError as error:
        raise stela.StelaError(f"{what}: {describe(error)}.", again) from None
    if (file.words is None) == (file.ids is None) or (file.ids is None) != (file.vocabulary is None):
        raise stela.StelaError(f"{what} needs either words, or ids and their vocabulary.", again)
    return file


FILES = NamedFiles(
    plugin="watme",
    parameter="clusters",
    what="cluster file",
    made_by="stela watme clusters",
    largest=16 << 20,
    shipped={name: Path(__file__).parent / "clusters" / f"{name}.json" for name in ("wordnet", "tiny")},
    parse=parsed,
)


def clusters_of(file: ClusterFile, tokens: Vocabulary) -> Clusters:
    """The clusters of a vocabulary.

    Raises:
        StelaError: the ids are of another vocabulary, or a word or an id is in two groups.
    """
    if file.ids is None:
        return Clusters.of(ids_of_words(file.words or [], tokens))
    if file.vocabulary != vocabulary_hash(tokens):
        raise stela.StelaError(
            "the clusters are of another tokenizer's ids.",
            "make some of this model with stela watme clusters, or use wordnet",
        )
    return Clusters.of(file.ids)


def ids_file(groups: list[list[int]], vocabulary: str, source: str) -> bytes:
    """The bytes of a file of ids, a line a group."""
    head = json.dumps({"format": "stela-clusters/1", "source": source, "vocabulary": vocabulary})
    rows = ",\n".join(json.dumps(group) for group in groups)
    return f'{head[:-1]},\n"ids": [\n{rows}\n]}}\n'.encode()
