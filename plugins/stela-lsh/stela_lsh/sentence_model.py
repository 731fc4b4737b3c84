"""Where this user's sentence-embedding models are, by their hash: profiles name no place."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from stela_models.sentence_model import SentenceModel, load_sentence_model

import stela_core as stela
from stela_core.api import read_bounded, state_folder, write_atomically

PURPOSE = 'hasher "lsh" with a sentence-embedding model'


def remember_sentence_model(name: str) -> str:
    """Load a model and note under its hash where it is, for profiles that speak of the hash; return that."""
    if Path(name).is_dir():
        name = str(Path(name).absolute())
    digest = load_sentence_model(name, PURPOSE).fingerprint
    _note(digest).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(_note(digest), name.encode())
    return digest


@lru_cache(maxsize=2)
def known_sentence_model(digest: str) -> SentenceModel:
    """The model of this hash, from where this user said that it is: a profile names no place.

    Raises:
        StelaError: the user named none of this hash, or it has become another one.
    """
    hint = "get the model, and say where it is: stela lsh model FOLDER"
    named = f"the sentence model of the profile ({digest[:12]}...)"
    name = read_bounded(_note(digest), 1 << 16, named, hint).decode("utf-8", "replace")
    model = load_sentence_model(name, PURPOSE)
    if model.fingerprint != digest:
        raise stela.StelaError(f'"{name}" is no longer {named}: its weights are others.', hint)
    return model


def _note(digest: str) -> Path:
    return state_folder() / "sentence-models" / digest
