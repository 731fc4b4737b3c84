"""Look up the manifest definitions of a message in a folder of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from stela_core import StelaError
from stela_core.api import Limits, parse_json, read_bounded
from stela_sign.c2pa.soft_binding import assertions_of, bindings_of

LARGEST = 1 << 20
"""Bytes of a definition."""

MOST = 100_000
"""Definitions of a folder."""

LIMITS = Limits(elements=100_000, depth=32, string=LARGEST)

HINT = "give a folder of what stela c2pa wrote"

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Definition(NamedTuple):
    """What a manifest definition says of a text."""

    path: Path
    creator: str
    """Name of the model, as its owner calls it."""
    text_sha256: str


def definitions_of(
    folder: str | Path, message: int, key_id: str | None, algorithm: str, skipped: Callable[[str], None]
) -> Iterator[Definition]:
    """The definitions whose soft binding is this message, by name of the file.

    All soft bindings of the algorithm must match, as a matcher of C2PA demands (18.10.5.1).

    Args:
        folder: whose ``*.json`` are read, not those of folders in it.
        message: that a text carries.
        key_id: of the key that it was read with; ``None`` for any.
        algorithm: whose soft bindings are looked at.
        skipped: is told in a line of each file that cannot be read.

    Raises:
        StelaError: the folder cannot be read, or holds too many files.
    """
    for path in files_of(Path(folder)):
        try:
            data = read_bounded(path, LARGEST, str(path), HINT)
            definition = parse_json(data, str(path), HINT, limits=LIMITS)
            bindings = bindings_of(definition, algorithm)
        except StelaError as error:
            skipped(error.message)
        except ValueError as error:
            skipped(f"{path}: {error}.")
        else:
            matches = [value == message and key_id in (None, key) for value, key in bindings]
            if matches and all(matches):
                yield Definition(path, _creator_of(definition), _sha256_of(definition))


def files_of(folder: Path) -> list[Path]:
    """The folder's definitions, sorted."""
    try:
        with os.scandir(folder) as entries:
            names = (entry.name for entry in entries if entry.name.endswith(".json"))
            chosen = list(islice(names, MOST + 1))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StelaError(f'cannot read folder "{folder}": {reason}.', HINT) from None
    if len(chosen) > MOST:
        raise StelaError(f"{folder} holds more than {MOST:,} files.", "look in a smaller folder")
    return [folder / name for name in sorted(chosen)]


def _creator_of(definition: Any) -> str:
    for data in assertions_of(definition):
        actions = data.get("actions")
        for action in actions if isinstance(actions, list) else ():
            if isinstance(action, dict) and action.get("action") == "c2pa.created":
                agent = action.get("softwareAgent")
                name = agent.get("name") if isinstance(agent, dict) else agent
                if isinstance(name, str):
                    return name
    return "unknown"


def _sha256_of(definition: Any) -> str:
    for data in assertions_of(definition):
        digest = data.get("text_sha256")
        if isinstance(digest, str) and _SHA256.fullmatch(digest):
            return digest
    return "unknown"
