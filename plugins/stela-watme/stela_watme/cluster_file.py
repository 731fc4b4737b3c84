"""Cluster files: groups of words, or of token ids of one vocabulary, in JSON.

::

    {"format": "stela-clusters/1", "source": "...", "words": [["big", "large"], ...]}
    {"format": "stela-clusters/1", "source": "...", "vocabulary": SHA-256, "ids": [[17, 311], ...]}

Words serve any tokenizer: what it has as one token is clustered (``word_forms.py``). Ids serve the vocabulary
whose :func:`stela_core.api.vocabulary_hash` they name. No word and no id is in two groups.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import stela_core as stela
from stela_core.api import Clusters, Vocabulary, describe, kept_file, parse_json, vocabulary_hash
from stela_watme.word_forms import ids_of_words

LARGEST = 16 << 20
"""Bytes of a cluster file."""

SHIPPED = {name: Path(__file__).parent / "clusters" / f"{name}.json" for name in ("wordnet", "tiny")}
"""Files that come along, by the names that stand for them. Others are known by their SHA-256, and kept."""


class ClusterFile(BaseModel):
    """What a cluster file says."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["stela-clusters/1"]
    source: str = ""
    words: list[list[str]] | None = None
    vocabulary: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    ids: list[list[int]] | None = None


def read_clusters(name: str, pin: str | None) -> ClusterFile:
    """The file that a name stands for.

    Args:
        name: ``wordnet``, ``tiny``, or the SHA-256 of a file that was kept. No path: profiles are strangers'.
        pin: SHA-256 that a shipped one must have; ``None`` where it is chosen now.

    Raises:
        StelaError: it is not here, another file, or not of the format.
    """
    if name not in SHIPPED:
        hint = "get the file and keep it: stela watme keep FILE"
        return parsed(kept_file(name, LARGEST, "the cluster file", hint), "the cluster file")
    if pin not in (None, shipped_digest(name)):
        raise stela.StelaError(
            f'clusters "{name}" are not those that the profile was made with.',
            "install the version of stela-watme that it was made with",
        )
    return parsed(SHIPPED[name].read_bytes(), f'cluster file "{name}"')


def shipped_digest(name: str) -> str:
    """SHA-256 of a shipped file."""
    return hashlib.sha256(SHIPPED[name].read_bytes()).hexdigest()


@lru_cache(maxsize=4)
def parsed(data: bytes, what: str) -> ClusterFile:
    """What the bytes of a cluster file say.

    Raises:
        StelaError: they are not of the format.
    """
    again = "make it anew with stela watme clusters"
    value = parse_json(data, what, again)
    try:
        file = ClusterFile.model_validate(value)
    except ValidationError as error:
        raise stela.StelaError(f"{what}: {describe(error)}.", again) from None
    if (file.words is None) == (file.ids is None) or (file.ids is None) != (file.vocabulary is None):
        raise stela.StelaError(f"{what} needs either words, or ids and their vocabulary.", again)
    return file


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
