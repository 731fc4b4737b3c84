"""Which installed plugin ships a table: found by the bytes of the table, hashed when it is asked for."""

from __future__ import annotations

import lzma
from functools import cache
from itertools import chain
from pathlib import Path

from stela_core.catalogue import published
from stela_core.files.fingerprint import sha256
from stela_core.registry.components import Registry
from stela_core.registry.manager import Origin


def shipped_by(registry: Registry, digest: str) -> Origin | None:
    """The distribution that ships the table of this SHA-256, or ``None``.

    One of this project is found by its published digest, and read; any other by reading all tables. Files
    that cannot be read, as of a plugin that is being updated, are not a table.
    """
    plugin = published().shipped_tables.get(digest)
    for entry in chain([] if plugin is None else registry.of_plugin(plugin), registry):
        try:
            if any(digest_of_table(path) == digest for path in entry.component.shipped_tables()):
                return entry.origin
        except (OSError, lzma.LZMAError):
            continue
    return None


def name_of_table(registry: Registry, digest: str) -> str:
    """``shipped with DISTRIBUTION VERSION``, or ``not shipped with any installed plugin``."""
    origin = shipped_by(registry, digest)
    return (
        "not shipped with any installed plugin"
        if origin is None
        else f"shipped with {origin.distribution} {origin.version}"
    )


@cache
def digest_of_table(path: Path) -> str:
    """SHA-256 of the table's bytes, of the unpacked ones where it is compressed.

    Unpacking takes longer than a short text: of this project's files it is known what is in them.
    """
    data = path.read_bytes()
    digest = sha256(data)
    if path.suffix != ".xz":
        return digest
    return published().packed_tables.get(digest) or sha256(lzma.decompress(data))
