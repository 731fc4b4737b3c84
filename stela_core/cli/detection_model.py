"""The language model and the prompts that ``stela detect`` was given, for schemes that need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stela_core.cli.common import say
from stela_core.cli.inputs import read_jsonl
from stela_core.errors import StelaError
from stela_core.interfaces.logits import Surrogate, model_needed
from stela_core.language_model import load_model
from stela_core.libraries import require_generation
from stela_core.registry.components import Registry
from stela_core.watermark import Watermark

if TYPE_CHECKING:
    from stela_core.interfaces.logits import LanguageModel


def model_of(
    registry: Registry, model: str | None, surrogate: str | None, device: str | None
) -> LanguageModel | Surrogate | None:
    """The model that was named, as itself or as a surrogate.

    Raises:
        StelaError: both are named, or it cannot be loaded.
    """
    if model is not None and surrogate is not None:
        raise StelaError(
            "--model and --surrogate name two models.", "give the one that is to weigh the tokens"
        )
    name = model or surrogate
    if name is None:
        return None
    require_generation("running the language model")
    loaded = load_model(name, device, registry)
    return loaded if surrogate is None else Surrogate(*loaded)


def detection_model(
    watermark: Watermark, registry: Registry, model: str | None, surrogate: str | None, device: str | None
) -> LanguageModel | Surrogate | None:
    """The model, or ``None`` where the scheme detects without one.

    Raises:
        StelaError: the scheme needs one and none is named, or it cannot be loaded.
    """
    scheme = watermark.profile.scheme.name
    if not watermark.needs_model_to_detect:
        if model or surrogate:
            say(
                f"note: scheme {scheme} detects without a model; {model or surrogate} is not loaded", err=True
            )
        return None
    if not (model or surrogate):
        raise model_needed("scheme", scheme)
    return model_of(registry, model, surrogate, device)


def prompts_of(file: str | None, texts: int) -> list[str] | None:
    """One prompt for each text, from a ``.jsonl`` such as ``stela generate`` writes.

    Raises:
        StelaError: the file cannot be read, or holds another number of prompts.
    """
    if file is None:
        return None
    prompts = [prompt for _, prompt in read_jsonl(file, ("prompt", "text"))]
    if len(prompts) != texts:
        raise StelaError(
            f"{file} has {len(prompts)} prompts for {texts} texts.",
            "give one line for each text, in the same order",
        )
    return prompts
