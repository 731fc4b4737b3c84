"""Key files: read with care, written for their owner alone, never replaced."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, read_bounded
from stela_core.files.write import write_secret
from stela_core.hashing.keys import format_key, hex_key
from stela_core.hashing.slow_keys import Passphrase

SHORTEST = 8
"""Bytes of the shortest passphrase."""

HINT = "name a file that holds 16 hex digits or a passphrase; stela key new -o FILE makes one"


def read_key_file(path: str | Path) -> int | Passphrase:
    """The key in a file.

    16 hex digits are the key itself (those of a key of several words stay text until their number is known).
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


def write_key_file(path: str | Path, key: int, words: int = 1) -> None:
    """Write a key as 16 hex digits a word into a new file of mode 600, whole or not at all.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    lost = "give another -o: a key that is replaced is lost, and with it every mark that was made with it"
    write_secret(path, f"{format_key(key, words)}\n".encode(), "key file", lost)


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
    """The content as text without white space around it, or ``None`` if it is no text."""
    # Editors on Windows write UTF-16 with a mark, or a mark before UTF-8.
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
