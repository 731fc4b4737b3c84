"""Keys, and the seeds of hash contexts.

A key is a 64-bit unsigned integer, written as 16 hex digits. The seed of a hash context is::

    BLAKE2b(digest_size=8, key=key as 8 bytes, person=b"stela/hash/1",
            data=each context id as 4 bytes, oldest token first)

with all integers little-endian, the digest read as a little-endian 64-bit integer. BLAKE2b is
RFC 7693; its keyed mode is a MAC, so seeds say nothing about the key.
"""

from __future__ import annotations

import codecs
import re
import secrets
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

_SEED = b"stela/hash/1"
_ID = b"stela/key-id/1"
_FILE = b"stela/key-file/1"
_HEX = re.compile(r"(?:0[xX])?([0-9a-fA-F]{16})")
_SHORTEST = 8
"""Bytes of the shortest passphrase."""


def seed_of(key: int, context: tuple[int, ...] | list[int]) -> int:
    """The seed of one hash context of token ids, oldest first: the definition in plain Python."""
    data = b"".join(token.to_bytes(4, "little") for token in context)
    digest = blake2b(data, digest_size=8, key=key.to_bytes(8, "little"), person=_SEED).digest()
    return int.from_bytes(digest, "little")


def seeds(key: int, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Seeds (n,) of hash contexts (n, width); each distinct context is hashed once.

    Args:
        key: 64-bit key.
        contexts: token ids in 0 .. 2**32 - 1, oldest first.
    """
    count, width = contexts.shape
    size = 4 * width
    data = contexts.astype("<u4").tobytes()
    fresh = blake2b(digest_size=8, key=key.to_bytes(8, "little"), person=_SEED)
    digests: dict[bytes, bytes] = {}
    found = []
    for start in range(0, count * size, size):
        row = data[start : start + size]
        digest = digests.get(row)
        if digest is None:
            state = fresh.copy()
            state.update(row)
            digest = digests[row] = state.digest()
        found.append(digest)
    return np.frombuffer(b"".join(found), dtype="<u8").astype(np.uint64)


def new_key() -> int:
    """A random key from the operating system's generator."""
    return secrets.randbits(64)


def format_key(key: int) -> str:
    """A key as 16 hex digits."""
    return f"{key:016x}"


def key_id(key: int) -> str:
    """Public name of a key, 8 hex digits: tells keys apart and does not give the key away."""
    return blake2b(key.to_bytes(8, "little"), digest_size=4, person=_ID).hexdigest()


def parse_key(value: str | int) -> int:
    """A key from 16 hex digits (white space around them and ``0x`` are fine) or an integer.

    Raises:
        StelaError: it is neither. The message does not repeat the value: it may be a secret.
    """
    if isinstance(value, str):
        match = _HEX.fullmatch(value.strip())
        if match:
            return int(match[1], 16)
        raise StelaError(
            "the key is not 16 hex digits.",
            "write 16 digits of 0-9 and a-f, or give a passphrase in a file with --key-file",
        )
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise StelaError("the key is not an integer of 64 bits.", "give 0 <= key < 2**64, or 16 hex digits")
    return value


def read_key_file(path: str | Path) -> int:
    """The key in a file.

    16 hex digits are the key itself. Anything else, a passphrase of at least 8 bytes or random
    bytes, is hashed to a key with BLAKE2b; white space around a text does not count.

    Raises:
        StelaError: the file cannot be read, is empty or too short. Its content is never repeated.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise StelaError(
            f'cannot read the key file "{path}": {error.strerror or type(error).__name__}.',
            "name a file that holds 16 hex digits or a passphrase",
        ) from None
    text = _as_text(content)
    if text is not None:
        match = _HEX.fullmatch(text)
        if match:
            return int(match[1], 16)
        content = text.encode()
    if len(content) < _SHORTEST:
        what = "is empty" if not content else f"is too short ({len(content)} bytes)"
        raise StelaError(
            f'the key file "{path}" {what}.',
            f"write 16 hex digits, or a passphrase of at least {_SHORTEST} bytes that nobody can guess",
        )
    return int.from_bytes(blake2b(content, digest_size=8, person=_FILE).digest(), "little")


def _as_text(content: bytes) -> str | None:
    """The content as text without white space around it, or ``None`` if it is no text."""
    # Editors on Windows write UTF-16 with a mark, or a mark before UTF-8.
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
