"""Tokenizers that nobody made for one text: published, shipped by a plugin, or of a model used here."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from stela_core.catalogue import lent
from stela_core.errors import StelaError
from stela_core.files.state import keep, read_kept
from stela_core.profile.archive import Archive
from stela_core.registry.components import Registry
from stela_core.text.tokenizer_digest import tokenizer_digest

PUBLISHED = Path(__file__).with_name("known_tokenizers.json")
"""Name, source and digest of each; ``scripts/write_known_tokenizers.py`` writes it."""

KIND = "known-tokenizer"
"""Kind of file for a model that the user named here: two in the user's folder of state, one named by its
digest and one by the SHA-256 of its file in profiles."""

MOST = 2_000
"""Files; the oldest are forgotten first."""


def is_known(archive: Archive, registry: Registry) -> bool:
    """Whether the tokenizer of a profile was there before the profile, as far as this machine can tell.

    Args:
        archive: its files, which were opened without an error.
        registry: the plugins, which may bring models.
    """
    if _is_listed(archive.profile.tokenizer_sha256):
        return True
    digest = tokenizer_digest(archive.tokenizer)
    return digest is not None and (_is_listed(digest) or _ships(registry, digest))


def remember_tokenizer(data: bytes, sha256: str) -> None:
    """Remember a tokenizer of a model that the user named; nothing where it cannot be written down.

    Args:
        data: of the file, as a profile holds it.
        sha256: of these bytes.
    """
    if _is_listed(sha256):
        return
    digest = tokenizer_digest(data)
    if digest is not None and digest not in _published():
        for name in (digest, sha256):
            keep(KIND, name, b"known\n", MOST)


@cache
def _published() -> frozenset[str]:
    """Digests, and SHA-256 of the files as profiles hold them: of these, nothing has to be worked out."""
    listed: list[dict[str, str]] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return frozenset(one[name] for one in listed for name in ("digest", "sha256"))


def _is_listed(digest: str) -> bool:
    """Whether it is published, or of a model that the user named here."""
    return digest in _published() or read_kept(f"{KIND}-{digest}", 16) is not None


def _ships(registry: Registry, digest: str) -> bool:
    """Whether an installed plugin brings a model with this tokenizer."""
    files_of = lent("tokenizer_files")
    for file in () if files_of is None else files_of(registry):
        try:
            if tokenizer_digest(file.read_bytes()) == digest:
                return True
        except (OSError, StelaError, ValueError):
            continue
    return False
