"""Profiles that the user made here, or said to trust: remembered by the SHA-256 of their content.

The file ``profiles`` lies in the user's folder of state (``STELA_STATE`` names another one), a hash a line.
It holds no key and nothing that a key can be guessed from beyond what the profile says itself.
"""

from __future__ import annotations

import re
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, read_bounded
from stela_core.files.state import state_folder
from stela_core.files.write import write_atomically
from stela_core.profile.schema import Profile

MOST = 8_000
"""Profiles remembered; the oldest are forgotten first."""

_HASH = re.compile(r"[0-9a-f]{64}")


def digest_of(profile: Profile) -> str:
    """SHA-256 of the bytes of ``profile.json`` (:attr:`.Profile.digest`)."""
    return profile.digest


def is_own(profile: Profile) -> bool:
    """Whether the profile was made here, or the user said to trust it."""
    return digest_of(profile) in _remembered()


def remember(profile: Profile) -> bool:
    """Take the profile for the user's own from now on; whether that could be written down."""
    known = _remembered()
    digest = digest_of(profile)
    return digest in known or _write([*known[-MOST + 1 :], digest])


def forget(profile: Profile) -> bool:
    """Take the profile for a stranger's from now on; whether that could be written down."""
    known = _remembered()
    digest = digest_of(profile)
    return digest not in known or _write([each for each in known if each != digest])


def _file() -> Path:
    return state_folder() / "profiles"


def _remembered() -> list[str]:
    """Oldest first; nothing where there is no file or it is none of these."""
    try:
        data = read_bounded(_file(), MEBIBYTE, "the list of profiles", "")
    except StelaError:
        return []
    return [line for line in data.decode("ascii", "replace").split("\n") if _HASH.fullmatch(line)]


def _write(digests: list[str]) -> bool:
    # No work of the user's depends on it: a home that cannot be written to costs no more than a caveat.
    file = _file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, "".join(f"{digest}\n" for digest in digests).encode())
        file.chmod(0o600)
    except (OSError, StelaError):
        return False
    return True
