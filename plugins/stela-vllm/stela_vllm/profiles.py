"""What a frontend has to know of a profile, without its key and tagger: whether its mark chooses tokens."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import stela_core as stela
from stela_core.api import read_archive
from stela_vllm.settings import Settings


def samples_by_name(settings: Settings) -> dict[str, bool]:
    """Of each profile: whether its mark chooses the tokens, and raises no logits.

    Raises:
        stela.StelaError: a profile is damaged, or its hasher is not installed.
    """
    return {name: _samples(path) for name, path in settings.profiles.items()}


@cache
def _samples(path: Path) -> bool:
    hasher = read_archive(path).profile.hasher.name
    return _registry().get(stela.Hasher, hasher).samples


@cache
def _registry() -> stela.Registry:
    return stela.create_registry()
