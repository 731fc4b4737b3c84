"""Members of a zip that a stranger made: nothing that its headers say is believed."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE, PIECE

MAX_DIRECTORY = 4096
"""Bytes of the list of members: Python makes an object of each before anyone can count them."""

END, END64 = b"PK\x05\x06", b"PK\x06\x07"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED_OR_PATCHED = 0x1 | 0x20 | 0x40


def unzip_bounded(data: bytes, limits: Mapping[str, int], what: str, hint: str) -> dict[str, bytes]:
    """The members of a zip that are named in ``limits``, each of at most that many bytes.

    What comes out is counted while it is unpacked, a megabyte at a time. Only stored and deflated
    members are read, none that is encrypted or named twice.

    Args:
        data: the bytes of the zip.
        limits: names of members, and the bytes each may have.
        what: names it in errors.
        hint: what to do.

    Raises:
        StelaError: it is not such a zip, corrupt or truncated, or a member is larger than its limit.
    """
    corrupt = StelaError(f"{what} is corrupt or truncated.", hint)
    if not _has_small_directory(data):
        raise corrupt
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            contents: dict[str, bytes] = {}
            for member in source.infolist():
                name = member.filename
                if name not in limits:
                    continue
                if name in contents:
                    raise StelaError(f"{what} holds {name} twice.", hint)
                if member.compress_type not in METHODS or member.flag_bits & ENCRYPTED_OR_PATCHED:
                    raise StelaError(f"{what} holds {name} in a form that no profile has.", hint)
                contents[name] = _read(source, member, limits[name], what, hint)
            return contents
    except StelaError:
        raise
    except Exception:  # zipfile: BadZipFile, zlib.error, ValueError, struct.error, NotImplementedError, ...
        raise corrupt from None


def _read(source: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int, what: str, hint: str) -> bytes:
    parts: list[bytes] = []
    length = 0
    with source.open(member) as file:
        while part := file.read(PIECE):
            parts.append(part)
            length += len(part)
            if length > limit:
                size = limit / MEBIBYTE
                raise StelaError(f"{what} is too large: its {member.filename} has over {size:g} MiB.", hint)
    return b"".join(parts)


def _has_small_directory(data: bytes) -> bool:
    """Whether the zip ends in a list of members that is small, and not of the 64-bit kind."""
    at = len(data) - 22
    if at < 0 or data[at : at + 4] != END or data[-2:] != b"\0\0":
        at = data.rfind(END, max(0, len(data) - (1 << 16) - 22))
        if at < 0 or at + 22 > len(data):
            return False
    size, offset = struct.unpack("<LL", data[at + 12 : at + 20])
    return size <= MAX_DIRECTORY and size + offset <= at and data[max(0, at - 20) : at][:4] != END64
