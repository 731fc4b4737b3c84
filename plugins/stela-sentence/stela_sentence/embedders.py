"""Embedders by name: the built-in one, or a sentence-embedding model of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_sentence.mark_file import EmbedderPart
from stela_sentence.ngrams import Ngrams


class Embedder(Protocol):
    """Sentences to vectors of whole numbers of length 127, up to rounding; one sentence at a time."""

    @property
    def fingerprint(self) -> str | None:
        """64 hex digits that tell it from all others; ``None`` of the built-in one."""

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """(n, dimensions), int64, of n sentences, at least 1."""


def open_embedder(name: str) -> Embedder:
    """The embedder that a user names.

    Args:
        name: ``ngrams``, or folder or Hugging Face name of a model that ``AutoModel`` loads; its last hidden
            states are averaged. A sentence-transformers folder is one, where it pools by the mean.

    Raises:
        StelaError: there is no such model, or a library is missing.
    """
    if name == Ngrams.name:
        return Ngrams()
    from stela_models.sentence_model import load_sentence_model

    return load_sentence_model(name, "a mark of sentences")


def embedder_of(part: EmbedderPart, name: str | None) -> Embedder:
    """The embedder of a mark's file.

    Args:
        part: what the file says of it.
        name: what the user named, for a mark by a model: the file says no place.

    Raises:
        StelaError: the mark is by a model and none was named, or another one.
    """
    if part.fingerprint is None:
        if name not in (None, Ngrams.name):
            raise StelaError("this mark's embedder is ngrams, which is built in.", "leave --embedder out")
        return Ngrams()
    if name is None:
        raise StelaError(
            f"this mark is by a sentence-embedding model ({part.fingerprint[:12]}...).",
            "say where it is with --embedder FOLDER",
        )
    embedder = open_embedder(name)
    if embedder.fingerprint != part.fingerprint:
        raise StelaError(
            f'"{name}" is not the model of this mark: its weights or its tokenizer differ.',
            "give the one that the mark was made with",
        )
    return embedder
