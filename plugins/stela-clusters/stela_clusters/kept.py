"""Files that profiles name only by SHA-256, kept in the user's folder of state.

A profile names no file: someone else may have made it. What else it needs is looked up by its hash among
the files that this user made, or was given and kept; ``STELA_STATE`` names another folder of state.
"""

from __future__ import annotations

import hashlib
import re

from stela_core import StelaError
from stela_core.api import read_bounded, state_folder, write_atomically

DIGEST = re.compile(r"[0-9a-f]{64}")


def digest_of(data: bytes) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def keep_file(data: bytes) -> str:
    """Keep a file's bytes for profiles that speak of them, and return their SHA-256.

    Raises:
        StelaError: the folder cannot be written to.
    """
    digest = digest_of(data)
    target = state_folder() / "files" / digest
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StelaError(
            f'"{target.parent}" cannot be made: {error.strerror}.', "name another folder in STELA_STATE"
        ) from None
    write_atomically(target, data)
    return digest


def kept_file(digest: str, limit: int, what: str, hint: str) -> bytes:
    """The bytes that were kept under a SHA-256.

    Args:
        digest: 64 hex digits.
        limit: bytes; what is longer is refused.
        what: names it in errors, such as ``the clusters``.
        hint: what to do where it is missing.

    Raises:
        StelaError: it was not kept here, is too long, or has become another one.
    """
    if not DIGEST.fullmatch(digest):
        raise StelaError(f"{what}: {digest[:70]!r} is not a SHA-256 of 64 hex digits.", hint)
    named = f"{what} (SHA-256 {digest[:12]}...)"
    data = read_bounded(state_folder() / "files" / digest, limit, named, hint)
    if digest_of(data) != digest:
        raise StelaError(f"{named} is damaged: the kept file has become another one.", hint)
    return data
