"""Which installed plugin ships a table: found by the bytes of the table, hashed when it is asked for."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

from stela_core.files.fingerprint import sha256
from stela_core.registry.components import Registry
from stela_core.registry.manager import Origin


def shipped_by(registry: Registry, digest: str) -> Origin | None:
    """The distribution that ships the table of this SHA-256, or ``None``.

    Files that cannot be read, as of a plugin that is being updated, are no table.
    """
    for entry in registry:
        try:
            if any(_digest(path) == digest for path in entry.component.shipped_tables()):
                return entry.origin
        except (OSError, lzma.LZMAError):
            continue
    return None


def name_of_table(registry: Registry, digest: str) -> str:
    """``shipped with DISTRIBUTION VERSION``, or ``not known here``."""
    origin = shipped_by(registry, digest)
    return "not known here" if origin is None else f"shipped with {origin.distribution} {origin.version}"


@cache
def _digest(path: Path) -> str:
    """SHA-256 of the table's bytes, of the unpacked ones where it is compressed."""
    data = path.read_bytes()
    return sha256(lzma.decompress(data) if path.suffix == ".xz" else data)
