"""The vocabulary size in a model's configuration: the width of its logits, not of its tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stela_models.find import require_on_hub
from stela_models.hub import locate_model, short_reason

import stela_core as stela
from stela_core.api import require


def config_vocab_size(registry: stela.Registry, name: str) -> int:
    """``vocab_size`` of the model's (text) configuration; torch is not needed.

    Raises:
        stela.StelaError: the configuration cannot be had, or says no size.
    """
    location = locate_model(name, registry)
    size = _from_file(Path(location.name) / "config.json")
    if size is not None:
        return size
    require_on_hub(name, location, registry)
    require("transformers", f'reading the configuration of "{name}"')
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(location.name, **location.options).get_text_config()
    except Exception as error:  # OSError, ValueError, and what the hub client raises
        raise stela.StelaError(
            f'the configuration of model "{name}" cannot be read: {short_reason(error)}',
            "give the size of its vocabulary with --vocab-size",
        ) from None
    size = getattr(config, "vocab_size", None)
    if not isinstance(size, int):
        raise stela.StelaError(
            f'the configuration of model "{name}" says no vocab_size.', "give it with --vocab-size"
        )
    return size


def _from_file(file: Path) -> int | None:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):  # a name on the hub, or a file that transformers will complain about
        return None
    if not isinstance(content, dict):
        return None
    return _size(content.get("text_config")) or _size(content)


def _size(config: Any) -> int | None:
    size = config.get("vocab_size") if isinstance(config, dict) else None
    return size if isinstance(size, int) else None
