"""Key files, read with care and never replaced; keys from passphrases, and names of secret keys.

The last two are slow and salted, so that neither can be guessed fast: both are scrypt (RFC 7914) with
n = 2**15, r = 8, p = 1: 32 MiB and about 0.1 s a guess. The salt of a profile is drawn when it is made and
stands in it. Profiles without one are of before, when both were a fast BLAKE2b.
"""

from __future__ import annotations

import codecs
import os
import secrets
import stat
import warnings
from dataclasses import dataclass, field
from hashlib import blake2b, scrypt
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, read_bounded
from stela_core.files.write import write_secret
from stela_core.hashing.keys import format_key, hex_key, key_id, new_key, parse_key

SHORTEST = 8
"""Bytes of the shortest passphrase."""

KEY_VARIABLE = "STELA_KEY"

HINT = "name a file that holds 16 hex digits or a passphrase; stela key new -o FILE makes one"


N, R, P = 1 << 15, 8, 1
SALT_BYTES = 16
_ID = b"stela/key-id/2"
_PASSPHRASE = b"stela/key-file/2"
_FAST_PASSPHRASE = b"stela/key-file/1"


def new_salt() -> str:
    """A random salt, 32 hex digits."""
    return secrets.token_hex(SALT_BYTES)


def slow_key_id(key: int, salt: str | None, words: int = 1) -> str:
    """Name of a secret key under a profile's salt, 8 hex digits; without one, the fast name of before."""
    if salt is None:
        return key_id(key, words)
    return _scrypt(key.to_bytes(8 * words, "little"), _ID, salt, 4).hex()


@dataclass(frozen=True, slots=True)
class Passphrase:
    """The content of a key file that is not a key of 16 hex digits; a key only together with a salt."""

    content: bytes = field(repr=False)

    def key(self, salt: str | None, words: int = 1) -> int:
        """The 64-bit key under a profile's salt; without one, the fast one of before.

        A key of several words is not a passphrase: it is their hex digits.

        Raises:
            StelaError: the content is not as many hex digits.
        """
        if words > 1:
            return parse_key(self.content.decode("utf-8", "replace"), words)
        if salt is None:
            digest = blake2b(self.content, digest_size=8, person=_FAST_PASSPHRASE).digest()
        else:
            digest = _scrypt(self.content, _PASSPHRASE, salt, 8)
        return int.from_bytes(digest, "little")


def _scrypt(password: bytes, purpose: bytes, salt: str, size: int) -> bytes:
    # OpenSSL wants leave to use a little more than the 128 n r bytes of the algorithm.
    memory = 2 * 128 * N * R
    return scrypt(password, salt=purpose + bytes.fromhex(salt), n=N, r=R, p=P, maxmem=memory, dklen=size)


def read_key_file(path: str | Path) -> int | Passphrase:
    """The key in a file.

    16 hex digits are the key itself (those of a key of several words are text until their number is known).
    Anything else, a passphrase of at least 8 bytes or random bytes,
    is a key only together with a profile's salt; white space around a text does not count.

    Raises:
        StelaError: the file cannot be read, is empty, too short or larger than 1 MiB. Its content is
            never repeated.
    """
    content = read_bounded(path, MEBIBYTE, f'key file "{path}"', HINT)
    text = _as_text(content)
    if text is not None:
        key = hex_key(text)
        if key is not None:
            return key
        content = text.encode()
    if len(content) < SHORTEST:
        what = "is empty" if not content else f"is too short ({len(content)} bytes)"
        raise StelaError(
            f'the key file "{path}" {what}.',
            f"write 16 hex digits, or a passphrase of at least {SHORTEST} bytes that nobody can guess",
        )
    return Passphrase(content)


def write_key_file(path: str | Path, key: int | None = None, words: int = 1) -> None:
    """Write a key as 16 hex digits a word into a new file of mode 600, whole or not at all; by default one
    that is drawn.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    lost = "give another -o: a key that is replaced is lost, and with it every mark that was made with it"
    digits = format_key(new_key(words) if key is None else key, words)
    write_secret(path, f"{digits}\n".encode(), "key file", lost)


def exposure_of(path: str | Path) -> str | None:
    """A remark on a key file that others than its owner may read, or ``None``."""
    if os.name == "nt":  # modes say nothing there
        return None
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except (OSError, ValueError):
        return None
    if not mode & (stat.S_IRGRP | stat.S_IROTH):
        return None
    return f'key file "{path}" can be read by others (mode {mode:o}): chmod 600 {path}'


def _as_text(content: bytes) -> str | None:
    """The content as text without white space around it, or ``None`` if it is not text."""
    # Editors on Windows write UTF-16 with a mark, or a mark before UTF-8.
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig").strip()
    except UnicodeDecodeError:
        return None


Key = int | str | Path | Passphrase
"""A 64-bit integer, 16 hex digits, the path of a key file, or what such a file holds.

Where a mark's key has several 64-bit words: an integer of as many bits, or 16 hex digits a word."""


def number_of(key: Key, salt: str | None, words: int = 1) -> int:
    """The key, of 64 bits a word; ``salt`` is the profile's, and counts only for passphrases.

    Raises:
        StelaError: it is not a key, or its file cannot be read.
    """
    if isinstance(key, Path):
        remark = exposure_of(key)
        if remark is not None:
            warnings.warn(remark, stacklevel=2)
        key = read_key_file(key)
    if words > 1 and isinstance(key, int) and key < 1 << 64:
        raise StelaError(
            f"this mark's key has {words} words of 64 bits, and one was given.",
            f"give {16 * words} hex digits, in a file with --key-file",
        )
    return key.key(salt, words) if isinstance(key, Passphrase) else parse_key(key, words)
