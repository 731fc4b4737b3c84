"""The bytes of tables that plugins ship, plain or compressed: by them a table is known."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

from stela_core.catalogue import published
from stela_core.files.fingerprint import sha256


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
