"""A language model and its tokenizer, or the tokenizer alone, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stela_core.interfaces import ModelSource
from stela_core.registry.components import Registry, default_registry
from stela_core.registry.published import lent
from stela_core.text.own_tokenizer import OwnTokenizer
from stela_core.text.tokenizer import parse_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from stela_core.interfaces.logits import LanguageModel


def load_model(name: str, device: str | None = None, registry: Registry | None = None) -> LanguageModel:
    """Load a causal language model: ``model, tokenizer = stela.load_model("tiny")``.

    torch and transformers are imported here, not before.

    Args:
        name: an alias that a plugin registers (``tiny``), a folder of ``save_pretrained``, or a Hugging
            Face name.
        device: torch device; by default ``cuda`` where there is one.
        registry: the plugins to use; by default the installed ones.

    Returns:
        (model, tokenizer): float32 on the CPU, as saved on a GPU; the tokenizer pads on the left.

    Raises:
        StelaError: there is no such model or device, or torch or transformers is missing.
    """
    load = lent("load_model", "loading a language model")
    model: LanguageModel = load(registry or default_registry(), name, device)
    return model


def load_tokenizer(registry: Registry, name: str) -> Tokenizer:
    """The fast tokenizer of a model; neither torch nor transformers is needed for a ``tokenizer.json``.

    Args:
        registry: knows the aliases.
        name: alias, folder or hub name.

    Raises:
        StelaError: there is no such model, or it has no fast tokenizer.
    """
    file = _tokenizer_file(registry, name)
    return _fetched(registry, name) if file is None else parse_tokenizer(file.read_bytes(), str(file))


def load_own_tokenizer(registry: Registry, name: str) -> OwnTokenizer:
    """The same as a profile holds it; what was made of a large ``tokenizer.json`` is remembered.

    Raises:
        StelaError: as for :func:`load_tokenizer`, or it would be refused in a profile.
    """
    file = _tokenizer_file(registry, name)
    return OwnTokenizer.of(_fetched(registry, name)) if file is None else OwnTokenizer.of_file(file)


def _tokenizer_file(registry: Registry, name: str) -> Path | None:
    folder = registry.get(ModelSource, name).location() if registry.has(ModelSource, name) else name
    file = Path(folder) / "tokenizer.json"
    return file if file.is_file() else None


def _fetched(registry: Registry, name: str) -> Tokenizer:
    tokenizer: Tokenizer = lent("fetch_tokenizer", f'the tokenizer of "{name}"')(registry, name)
    return tokenizer
