"""The tokenizer of a model by name: neither torch nor transformers is needed for a ``tokenizer.json``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stela_core import Registry, StelaError
from stela_core.api import backend_of
from stela_models.model_source import ModelSource

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_tokenizer(registry: Registry, name: str) -> Tokenizer:
    """Load the fast tokenizer of a model.

    Args:
        registry: knows the aliases.
        name: alias, folder or hub name.

    Raises:
        StelaError: there is no such model, or it has no fast tokenizer.
    """
    return backend_of(find_tokenizer(registry, name))


def find_tokenizer(registry: Registry, name: str) -> Path | Tokenizer:
    """Find the ``tokenizer.json`` of an alias or folder, or else fetch the tokenizer.

    Raises:
        StelaError: as for :func:`load_tokenizer`.
    """
    folder = registry.get(ModelSource, name).location() if registry.has(ModelSource, name) else name
    file = Path(folder) / "tokenizer.json"
    if file.is_file():
        return file
    from stela_models.load import fetch_tokenizer

    return fetch_tokenizer(registry, name)


def tokenizer_files(registry: Registry) -> Iterator[Path]:
    """The ``tokenizer.json`` of each model that plugins bring; one that cannot be looked at is left out."""
    for name in registry.names(ModelSource):
        try:
            file = Path(registry.get(ModelSource, name).location()) / "tokenizer.json"
            there = file.is_file()
        except (OSError, StelaError, ValueError):
            continue
        if there:
            yield file
