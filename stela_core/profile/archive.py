"""``NAME.stela``: a zip of profile.json, tokenizer.json and, for some schemes, table.json."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, read_bounded
from stela_core.files.bounded_zip import unzip_bounded
from stela_core.files.fingerprint import sha256
from stela_core.files.write import write_atomically
from stela_core.profile.schema import Profile, parse_profile

PROFILE, TOKENIZER, TABLE = "profile.json", "tokenizer.json", "table.json"
MAX_BYTES = 64 * MEBIBYTE
"""Largest size of the file."""
LIMITS = {PROFILE: MEBIBYTE, TOKENIZER: 64 * MEBIBYTE, TABLE: 16 * MEBIBYTE}
"""Bytes of each member, unpacked. The largest tokenizer of a model in use, Gemma's, has 33 MB."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Time stamp of every member: equal content gives equal files."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A profile with the bytes that lie with it."""

    profile: Profile
    tokenizer: bytes
    table: bytes | None
    members: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """Members of a file that was read, by name, as they are in it."""

    @classmethod
    def read(cls, path: str | Path, more: Mapping[str, int] | None = None) -> Self:
        """Read and check a profile file.

        Args:
            path: of the file.
            more: names of members that are wanted besides a profile's own, and the bytes each may have.
                Nothing in them is checked. Others are passed over.

        Raises:
            StelaError: the file is missing, corrupt, truncated, not a profile, or its tokenizer or table
                is not the one its profile names.
        """
        what, hint = f'profile "{path}"', "give a .stela file: stela profile new makes one"
        again = "get the file again, or make it again with stela profile new"
        data = read_bounded(path, MAX_BYTES, what, hint)
        if data and not data.startswith(b"PK"):
            raise StelaError(
                f"{what} is not a profile, which would be a zip: it is another kind of file.", hint
            )
        members = unzip_bounded(data, {**LIMITS, **(more or {})}, what, again)
        if missing := sorted({PROFILE, TOKENIZER} - set(members)):
            raise StelaError(f"{what} is not a profile: it holds no {missing[0]}.", again)
        profile = parse_profile(members[PROFILE], what)
        _check(f"the tokenizer in {what}", members[TOKENIZER], profile.tokenizer_sha256)
        table = members.get(TABLE)
        if (table is None) != (profile.table_sha256 is None):
            problem = "holds no table" if table is None else "holds a table that profile.json does not name"
            raise StelaError(f"{what} {problem}.", "get the file again, or make the profile again")
        if table is not None and profile.table_sha256 is not None:
            _check(f"the table in {what}", table, profile.table_sha256)
        return cls(profile, members[TOKENIZER], table, members)

    @staticmethod
    def pack(members: Mapping[str, bytes]) -> bytes:
        """The bytes of a profile file with these members; equal ones give equal bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as target:
            for name, data in members.items():
                # Level 6 takes twice as long over a large tokenizer, for 4 % fewer bytes.
                target.writestr(zipfile.ZipInfo(name, LONG_AGO), data, zipfile.ZIP_DEFLATED, compresslevel=4)
        return buffer.getvalue()

    def write(self, path: str | Path, replace: bool = True) -> None:
        """Write a profile file at once or not at all; equal archives give equal bytes.

        Raises:
            StelaError: as for :func:`stela_core.files.write.write_atomically`.
        """
        members = {PROFILE: self.profile.to_json(), TOKENIZER: self.tokenizer, TABLE: self.table}
        data = self.pack({name: data for name, data in members.items() if data is not None})
        write_atomically(Path(path), data, replace)


def _check(what: str, data: bytes, expected: str) -> None:
    digest = sha256(data)
    if digest != expected:
        raise StelaError(
            f"{what} has sha256 {digest[:12]}..., the profile names {expected[:12]}...",
            "get the file again: it was changed after it was made",
        )
