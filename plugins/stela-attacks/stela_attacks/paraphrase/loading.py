"""Load a model and its tokenizer by name, for attacks that rewrite with one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

from stela_models.find import require_on_hub
from stela_models.hub import locate_model, require_plain_config, short_reason

import stela_core as stela
from stela_core.api import require_generation

Dtype = Literal["float32", "bfloat16", "float16"]


class Loaded(NamedTuple):
    """A model in evaluation mode on its device, and its tokenizer."""

    model: Any
    tokenizer: Any


@lru_cache(maxsize=2)
def load(model: str, tokenizer: str, kind: str, device: str | None, dtype: Dtype | None) -> Loaded:
    """Load a model and its tokenizer; the last two are kept.

    Args:
        model: folder or hub name; ``NAME@REVISION`` pins a commit or a tag of the Hub.
        tokenizer: the same.
        kind: class of transformers, such as ``AutoModelForMaskedLM``.
        device: torch device; ``None`` for ``cuda`` where there is one.
        dtype: of the weights; ``None`` for float32 on the CPU and bfloat16 elsewhere.

    Raises:
        StelaError: a library, the model, the tokenizer or the device is missing.
    """
    require_generation("paraphrasing")
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    number = dtype or ("float32" if device.startswith("cpu") else "bfloat16")
    try:
        place = locate_model(tokenizer)
        require_on_hub(tokenizer, place, hint=_online("tokenizer", tokenizer))
        pieces = transformers.AutoTokenizer.from_pretrained(place.name, **place.options)
    except stela.StelaError:
        raise
    except Exception as error:  # OSError, ValueError, and what the hub client raises
        raise _missing("tokenizer", tokenizer, error) from None
    try:
        place = locate_model(model)
        require_on_hub(model, place, hint=_online("model", model))
        require_plain_config(place)
        network = getattr(transformers, kind).from_pretrained(
            place.name, dtype=getattr(torch, number), weights_only=True, **place.options
        )
    except stela.StelaError:
        raise
    except Exception as error:
        raise _missing("model", model, error) from None
    try:
        network = network.to(device)
    except Exception as error:
        raise stela.StelaError(
            f'device "{device}" cannot be used: {short_reason(error)}', 'device = "cpu"'
        ) from None
    return Loaded(network.eval(), pieces)


PUBLISHED = frozenset({"kalpeshk2011/dipper-paraphraser-xxl", "google/t5-v1_1-xxl"})
"""Names that a hint repeats as part of a command: no word of an experiment file is."""


def _missing(what: str, name: str, error: Exception) -> stela.StelaError:
    return stela.StelaError(f'{what} "{name}" cannot be loaded: {short_reason(error)}', _online(what, name))


def _online(what: str, name: str) -> str:
    online = f"hf download {name}" if name in PUBLISHED else "hf download"
    return f"when online: {online}; else give {what} = a folder saved by save_pretrained"
