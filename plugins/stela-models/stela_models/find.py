"""Whether a model is there, without loading it."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path

from stela_core import Registry, StelaError
from stela_core.api import did_you_mean, timed
from stela_models.hub import ON_THE_HUB, Location, locate_model
from stela_models.model_source import ModelSource

log = logging.getLogger(__name__)

WEIGHTS = ("*.safetensors", "*.bin", "*.safetensors.index.json")
CHECK_NAME = "check the name and the network, or give a folder saved by save_pretrained"
TIMEOUT = 5.0
"""Seconds that the Hub is given to answer."""


def require_model(registry: Registry, name: str, weights: bool = True) -> str | None:
    """Look for a model by alias, folder or hub name; a remark where that could not be found out.

    Of a name of the Hub, its cache here is looked at, then the Hub is asked.

    Args:
        registry: knows the aliases.
        name: as ``--model`` takes it.
        weights: whether it needs weights, not only a tokenizer.

    Raises:
        StelaError: there is no such model.
    """
    location = locate_model(name, registry)
    folder = Path(location.name)
    aliases = registry.names(ModelSource)
    if folder.is_dir():
        missing = [] if (folder / "config.json").is_file() or not weights else ["config.json"]
        if weights and not any(True for pattern in WEIGHTS for _ in folder.glob(pattern)):
            missing.append("weights")
        if missing:
            raise StelaError(
                f'model "{name}": folder "{folder}" holds no {" and no ".join(missing)}.',
                "give a folder saved by save_pretrained",
            )
        return None
    if name in aliases or not ON_THE_HUB.fullmatch(location.name):
        raise StelaError(
            f'model "{name}" is not there: no folder "{location.name}".',
            f"give an alias ({', '.join(aliases) or 'none'}), a folder, or a Hugging Face name",
        )
    return None if is_cached(location) else _asked(name, location, aliases)


def require_on_hub(
    name: str, location: Location, registry: Registry | None = None, hint: str | None = None
) -> None:
    """Refuse a name of the Hub that is neither in its cache here nor to be had: fetching would retry.

    Args:
        name: as the user wrote it.
        location: of that name; that of a folder or a path is passed over.
        registry: knows the aliases; ``None`` where no alias can stand.
        hint: where no alias is close to the name.

    Raises:
        StelaError: there is no such model, or the Hub gives no answer; with the alias that is close to it.
    """
    if Path(location.name).is_dir() or not ON_THE_HUB.fullmatch(location.name):
        return
    if is_cached(location) or is_cached(location._replace(revision=None)):
        return
    aliases = [] if registry is None else registry.names(ModelSource)
    if _asked(name, location, aliases, hint) is not None:
        raise StelaError(
            f'model "{name}" is not on this machine, and the Hub could not be reached.',
            _near(name, aliases) or hint or CHECK_NAME,
        )


def _near(name: str, aliases: list[str]) -> str | None:
    """``did you mean "tiny"?`` where an alias is close to the name."""
    close = did_you_mean(name, aliases)
    return close if close.startswith("did you mean") else None


def is_cached(location: Location) -> bool:
    """Whether a file of a name on the Hub is in its cache on this machine."""
    if find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import try_to_load_from_cache

    names = ("config.json", "tokenizer.json", "tokenizer_config.json")
    return any(
        isinstance(try_to_load_from_cache(location.name, file, revision=location.revision), str)
        for file in names
    )


def _asked(name: str, location: Location, aliases: list[str], hint: str | None = None) -> str | None:
    """Ask the Hub; a remark where it gives no answer. ``hint`` is what to do where it may not be asked."""
    close = _near(name, aliases)
    near = f"; {close.removesuffix('?')}, an alias?" if close else ""
    unknown = f'model "{name}" is not on this machine, and the Hub could not be reached{near}'
    if find_spec("huggingface_hub") is None:
        return unknown
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        with timed(log, 'the Hub was asked for model "%s"', location.name):
            HfApi().model_info(location.name, revision=location.revision, timeout=TIMEOUT)
    except RevisionNotFoundError:
        raise StelaError(
            f'model "{location.name}" has no revision "{location.revision}" on the Hub.', "check the revision"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise StelaError(
            f'model "{name}" is neither an alias nor on this machine nor on the Hub.',
            close or "check the name; for a private one, log in",
        ) from None
    except OfflineModeIsEnabled:
        raise StelaError(
            f'model "{name}" is not on this machine, and HF_HUB_OFFLINE forbids asking the Hub.',
            close or hint or "fetch it first, or take HF_HUB_OFFLINE away",
        ) from None
    except Exception:  # whatever the client raises without a network
        return unknown
    return None


def require_device(device: str) -> None:
    """Find out whether torch can use a device.

    Raises:
        StelaError: it cannot.
    """
    import torch

    try:
        torch.empty(1, device=device)
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise StelaError(f'device "{device}" cannot be used: {first[:160]}', "try --device cpu") from None
