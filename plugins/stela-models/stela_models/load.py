"""Load a language model by alias, folder or hub name."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_core import Registry, StelaError
from stela_core.api import LanguageModel, require, require_generation, timed
from stela_models.find import is_cached, require_on_hub
from stela_models.hub import Location, locate_model, require_plain_config, short_reason
from stela_models.model_source import ModelSource

if TYPE_CHECKING:
    from tokenizers import Tokenizer

log = logging.getLogger(__name__)


def location_of(registry: Registry, name: str) -> str:
    """What ``from_pretrained`` gets for ``--model NAME``: an alias's folder, a folder, a hub name."""
    return locate_model(name, registry).name


def there(registry: Registry, name: str) -> Location:
    """Location of a model of which nothing is loaded yet.

    Raises:
        StelaError: there is no such model.
    """
    location = locate_model(name, registry)
    require_folder(location.name, _known_models(registry))
    require_on_hub(name, location, registry)
    return location


def fetch_tokenizer(registry: Registry, name: str) -> Tokenizer:
    """The fast tokenizer of a model that has no ``tokenizer.json`` in a folder: from the Hub, or converted.

    Raises:
        StelaError: there is no such model, or it has no fast tokenizer.
    """
    from stela_core.api import backend_of

    location = there(registry, name)
    require("transformers", f'fetching the tokenizer of "{name}"')
    from transformers import AutoTokenizer

    log.info('the tokenizer of "%s" is fetched from the Hub, or taken from its cache', name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(location.name, **location.options)
    except Exception as error:  # OSError, ValueError, and what the hub client raises
        raise _not_loaded(registry, name, error) from None
    backend: Tokenizer = backend_of(tokenizer)
    return backend


def load_model(
    registry: Registry, name: str, device: str | None = None, dtype: str | None = None
) -> LanguageModel:
    """Load a causal model for generation: float32 on the CPU, as saved on a GPU.

    Args:
        registry: knows the aliases.
        name: alias, folder or hub name; ``NAME@REVISION`` pins a commit or a tag of the Hub.
        device: torch device; by default ``cuda`` where there is one.
        dtype: ``bfloat16``, ``float16`` or ``float32``, in place of the device's.

    Raises:
        StelaError: there is no such model, revision or device, it holds code, or a library is missing.
    """
    require_generation()
    location = there(registry, name)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if not Path(location.name).is_dir():
        source = "is taken from the cache of the Hub" if is_cached(location) else "is fetched from the Hub"
        log.info('model "%s" %s', name, source)
    try:
        require_plain_config(location)
        with timed(log, 'model "%s" loaded', name):
            tokenizer = AutoTokenizer.from_pretrained(location.name, padding_side="left", **location.options)
            numbers = dtype or ("float32" if device == "cpu" else "auto")
            model: Any = AutoModelForCausalLM.from_pretrained(
                location.name, dtype=numbers, weights_only=True, **location.options
            )
    except StelaError:
        raise
    except Exception as error:
        raise _not_loaded(registry, name, error) from None
    try:
        model = model.to(device)
    except Exception as error:
        raise StelaError(
            f'device "{device}" cannot be used: {short_reason(error)}', "try --device cpu"
        ) from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return LanguageModel(model.eval(), tokenizer)


def require_folder(location: str, hint: str) -> None:
    """Refuse a path that is not a model's folder; a hub name may be anything else.

    Raises:
        StelaError: it is written as a path and does not exist, or is a folder without ``config.json``.
    """
    path = Path(location)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise StelaError(f'folder "{location}" holds no model: it has no config.json.', hint)
    elif path.exists():
        raise StelaError(f'"{location}" is a file, not a model\'s folder.', hint)
    elif path.is_absolute() or location.startswith((".", "~")):
        raise StelaError(f'model folder "{location}" does not exist.', hint)


def _not_loaded(registry: Registry, name: str, error: Exception) -> StelaError:
    hint = _known_models(registry)
    if "stela_profile" in str(error):  # saved by an earlier version, with a watermarking_config
        hint = 'take "watermarking_config" out of its generation_config.json'
    return StelaError(f'model "{name}" cannot be loaded: {short_reason(error)}', hint)


def _known_models(registry: Registry) -> str:
    aliases = ", ".join(registry.names(ModelSource)) or "none"
    return f"give an alias ({aliases}), a folder saved by save_pretrained, or a Hugging Face name when online"
