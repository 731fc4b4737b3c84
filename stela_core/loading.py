"""``stela.load``: a profile's file as a Watermark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from stela_core.interfaces import Tagger
from stela_core.profile.archive import read_archive
from stela_core.profile.epochs import Written
from stela_core.profile.key import Key
from stela_core.profile.parts import open_archive
from stela_core.profile.provenance import is_own, provenance_of, require_strict
from stela_core.registry.components import Registry, default_registry
from stela_core.watermark import Watermark


def load(
    path: str | Path,
    key: Key | Sequence[Key] | None = None,
    registry: Registry | None = None,
    tagger: str | Tagger | None = None,
    allow_lenient: bool = False,
    scoring: Mapping[str, Any] | None = None,
    written: tuple[str | date, str | date] | None = None,
) -> Watermark:
    """Load a profile.

    Args:
        path: a ``.stela`` file.
        key: the key of a secret-key profile: 16 hex digits, an integer, or the ``Path`` of a key file,
            which may hold a passphrase; by default the environment variable ``STELA_KEY``. Of a profile with
            several keys: a list of them, or the ``Path`` of a folder of key files.
        registry: the plugins to use; by default the installed ones.
        tagger: the profile's tagger where its model is a folder of yours, as ``NAME:FOLDER``, or a tagger
            that is loaded already. A profile by itself loads only models whose names are known.
        allow_lenient: take somebody else's profile with alpha above 0.05 or min_tokens below 8.
        scoring: parameters of the scorer in place of the profile's, such as ``{"repeats": "fourth-root",
            "ties": "split"}`` for a profile made before there were these (docs/statistics.md). Say it before
            you see a text's p-value: the smaller of two is no p-value.
        written: first and last day (UTC), as ``"2026-11-22"``, between which the texts were written, as you
            know from elsewhere. Of a profile whose keys have epochs, only those of these days are tested, and
            p-values are times their number. Say it before you see a p-value, too.

    Raises:
        StelaError: the profile is corrupt, a plugin is missing, or the tokenizer, table, tagger or
            key is not the profile's; or its verdicts would say next to nothing (``allow_lenient``).
    """
    archive = read_archive(path)
    registry = registry or default_registry()
    if not (allow_lenient or is_own(archive.profile)):
        require_strict(archive.profile, f'profile "{path}"')
    provenance = provenance_of(archive.profile, registry)
    span = None if written is None else Written.between(*written)
    parts = open_archive(archive, key, registry, scoring, written=span)
    return Watermark(archive, key, registry, tagger=tagger, provenance=provenance, parts=parts)
