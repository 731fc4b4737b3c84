"""``NAME.stela``: a zip of profile.json, tokenizer.json and, for some schemes, table.json."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.files import write_atomically
from stela_core.profile.schema import Profile, parse_profile, to_json
from stela_core.text.fingerprint import sha256

PROFILE, TOKENIZER, TABLE = "profile.json", "tokenizer.json", "table.json"
MAX_BYTES = 512 * 1024 * 1024
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Time stamp of every member: equal content gives equal files."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A profile with the bytes that lie beside it."""

    profile: Profile
    tokenizer: bytes
    table: bytes | None


def read_archive(path: str | Path) -> Archive:
    """Read and check a profile file.

    Raises:
        StelaError: the file is missing, corrupt, truncated, not a profile, or its tokenizer or table
            is not the one its profile names.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise StelaError(f'profile "{path}" does not exist.', "make one with stela profile new") from None
    except OSError as error:
        raise StelaError(
            f'profile "{path}" cannot be read: {error.strerror}.', "give a .stela file"
        ) from None
    members = _members(data, f'profile "{path}"')
    profile = parse_profile(members[PROFILE], f'profile "{path}"')
    _check(f'the tokenizer in profile "{path}"', members[TOKENIZER], profile.tokenizer_sha256)
    table = members.get(TABLE)
    if (table is None) != (profile.table_sha256 is None):
        found = "holds no table" if table is None else "holds a table that profile.json does not name"
        raise StelaError(f'profile "{path}" {found}.', "get the file again, or make the profile anew")
    if table is not None and profile.table_sha256 is not None:
        _check(f'the table in profile "{path}"', table, profile.table_sha256)
    return Archive(profile, members[TOKENIZER], table)


def write_archive(path: str | Path, archive: Archive) -> None:
    """Write a profile file at once or not at all; equal archives give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        members = {PROFILE: to_json(archive.profile), TOKENIZER: archive.tokenizer, TABLE: archive.table}
        for name, data in members.items():
            if data is not None:
                target.writestr(zipfile.ZipInfo(name, LONG_AGO), data, zipfile.ZIP_DEFLATED)
    write_atomically(Path(path), buffer.getvalue())


def _members(data: bytes, what: str) -> dict[str, bytes]:
    again = "get the file again, or make it anew with stela profile new"
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            names = set(source.namelist()) & {PROFILE, TOKENIZER, TABLE}
            if missing := sorted({PROFILE, TOKENIZER} - names):
                raise StelaError(f"{what} is not a profile: it holds no {missing[0]}.", again)
            if sum(source.getinfo(name).file_size for name in names) > MAX_BYTES:
                raise StelaError(f"{what} is larger than {MAX_BYTES >> 20} MiB unpacked.", again)
            return {name: source.read(name) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        raise StelaError(f"{what} is corrupt or truncated.", again) from None


def _check(what: str, data: bytes, expected: str) -> None:
    found = sha256(data)
    if found != expected:
        raise StelaError(
            f"{what} has sha256 {found[:12]}..., the profile names {expected[:12]}...",
            "get the file again: it was changed after it was made",
        )
