"""Short hashes that say whether two things are the same."""

from __future__ import annotations

import hashlib
from pathlib import Path


def short_hash(*parts: str | bytes) -> str:
    """16 hex digits (BLAKE2b) of parts, each prefixed by its length so that none runs into the next."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def folder_hash(folder: Path) -> str:
    """:func:`short_hash` of the names and bytes of all files below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    pairs = [(file.relative_to(folder).as_posix(), file.read_bytes()) for file in files]
    return short_hash(*(part for pair in pairs for part in pair))


def sha256(data: bytes) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()
