"""Where this user's sentence-embedding models are, by their hash: profiles name no place."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from stela_core import StelaError
from stela_core.api import read_bounded, state_folder, write_atomically
from stela_models.sentence_model import SentenceModel, load_sentence_model


def remember_sentence_model(name: str, purpose: str) -> str:
    """Load a model and note under its hash where it is, for profiles that speak of the hash; return that.

    Args:
        name: folder or Hugging Face name.
        purpose: what needs it, named where transformers is missing.

    Raises:
        StelaError: there is no such model.
    """
    if Path(name).is_dir():
        name = str(Path(name).absolute())
    digest = load_sentence_model(name, purpose).fingerprint
    _note(digest).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(_note(digest), name.encode())
    return digest


@lru_cache(maxsize=2)
def known_sentence_model(digest: str, purpose: str, command: str) -> SentenceModel:
    """The model of this hash, from where this user said that it is: a profile names no place.

    Args:
        digest: 64 hex digits.
        purpose: what needs it.
        command: says where a model is, such as ``stela lsh model``.

    Raises:
        StelaError: the user named none of this hash, or it has become another one.
    """
    hint = f"get the model, and say where it is: {command} FOLDER"
    named = f"the sentence model of the profile ({digest[:12]}...)"
    name = read_bounded(_note(digest), 1 << 16, named, hint).decode("utf-8", "replace")
    model = load_sentence_model(name, purpose)
    if model.fingerprint != digest:
        raise StelaError(f'"{name}" is no longer {named}: its weights have changed.', hint)
    return model


def _note(digest: str) -> Path:
    return state_folder() / "sentence-models" / digest
