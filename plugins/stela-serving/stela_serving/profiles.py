"""What a frontend has to know of a profile, without its key and tagger."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from stela_core import Hasher, Registry, create_registry
from stela_core.api import Archive
from stela_serving.settings import ServerSettings


def samples_by_name(settings: ServerSettings) -> dict[str, bool]:
    """Whether the mark of each profile chooses the tokens, and raises no logits.

    Raises:
        StelaError: a profile is damaged, or its hasher is not installed.
    """
    return {name: _samples(path) for name, path in settings.profiles.items()}


def bits_by_name(settings: ServerSettings) -> dict[str, int | None]:
    """Bits of the message that the marks of each profile carry, ``None`` where they carry none.

    Raises:
        StelaError: a profile is damaged.
    """
    return {name: _bits(path) for name, path in settings.profiles.items()}


@cache
def _bits(path: Path) -> int | None:
    message = Archive.read(path).profile.message
    return None if message is None else message.bits


@cache
def _samples(path: Path) -> bool:
    hasher = Archive.read(path).profile.hasher.name
    return _registry().get(Hasher, hasher).samples


@cache
def _registry() -> Registry:
    return create_registry()
