"""The key of a profile: what the profile says of it, and the key that a user gives, checked against that."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from stela_core.hashing.key_file import exposure_of, read_key_file
from stela_core.hashing.keys import format_key, key_id, parse_key
from stela_core.hashing.slow_keys import Passphrase, new_salt, slow_key_id
from stela_core.profile.schema import HasherPart, KeyPart

KEY_VARIABLE = "STELA_KEY"

Key = int | str | Path | Passphrase
"""A 64-bit integer, 16 hex digits, the path of a key file, or what such a file holds.

Where a mark's key has several 64-bit words: an integer of as many bits, or 16 hex digits a word."""


def number_of(key: Key, salt: str | None, words: int = 1) -> int:
    """The key, of 64 bits a word; ``salt`` is the profile's, and counts for passphrases alone.

    Raises:
        StelaError: it is none, or its file cannot be read.
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


def key_fields(key: int, public: bool, salt: str | None, named: bool, words: int = 1) -> dict[str, Any]:
    """What a new profile says of its key.

    Args:
        key: of 64 bits a word.
        public: the key itself stands in the profile, with its fast name.
        salt: 32 hex digits, of a secret key; by default it is drawn.
        named: a secret key gets a slow name. One that is easily guessed, as those of other toolkits
            are, shall have none: a profile would tell the right guess from the others.
        words: 64-bit words of the key.
    """
    if public:
        return {"key_id": key_id(key, words), "key": format_key(key, words)}
    if not named:
        return {"key_id": None, "key": None}
    salt = salt or new_salt()
    return {"key_id": slow_key_id(key, salt, words), "key": None, "salt": salt}


def resolve_key(part: HasherPart | KeyPart, key: Key | None, words: int = 1) -> int:
    """The key to use, checked against the profile's ``key_id`` where it has one.

    Raises:
        StelaError: the key is secret and none was given, or it is another one.
    """
    given = key if key is not None else part.key or os.environ.get(KEY_VARIABLE)
    if given is None:
        name = "it has no id: a wrong key is not noticed" if part.key_id is None else f"id {part.key_id}"
        raise StelaError(
            f"the profile's key ({name}) is secret.",
            f"give it with --key-file FILE or in the environment variable {KEY_VARIABLE}",
        )
    number = number_of(given, part.salt, words)
    if part.key_id is None:
        return number
    own_id = slow_key_id(number, part.salt, words)
    if own_id != part.key_id:
        raise StelaError(
            f"wrong key: its id is {own_id}, the profile's is {part.key_id}.",
            "give the key the profile was made with",
        )
    return number
