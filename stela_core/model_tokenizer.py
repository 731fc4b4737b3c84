"""The tokenizer of a model by the model's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stela_core.interfaces import ModelSource
from stela_core.registry.components import Registry
from stela_core.registry.published import lent
from stela_core.text.tokenizer import parse_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_tokenizer(registry: Registry, name: str) -> Tokenizer:
    """The fast tokenizer of a model; neither torch nor transformers is needed for a ``tokenizer.json``.

    Args:
        registry: knows the aliases.
        name: alias, folder or hub name.

    Raises:
        StelaError: there is no such model, or it has no fast tokenizer.
    """
    folder = registry.get(ModelSource, name).location() if registry.has(ModelSource, name) else name
    file = Path(folder) / "tokenizer.json"
    if file.is_file():
        return parse_tokenizer(file.read_bytes(), str(file))
    tokenizer: Tokenizer = lent("fetch_tokenizer", f'the tokenizer of "{name}"')(registry, name)
    return tokenizer
