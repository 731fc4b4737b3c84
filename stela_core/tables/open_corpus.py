"""Bytes of a corpus file, plain or compressed (.gz, .xz, .zst), in chunks."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterator
from io import BufferedReader
from typing import Protocol

CHUNK = 1 << 18


def chunks_of(raw: BufferedReader) -> Iterator[bytes]:
    """Decompressed bytes; the first bytes, not the name, tell how the file is compressed.

    Raises:
        OSError, EOFError, lzma.LZMAError, zstandard.ZstdError: it is corrupt or truncated.
    """
    start = raw.peek(6)[:6]
    if start.startswith(b"\x1f\x8b"):
        yield from _read(gzip.GzipFile(fileobj=raw))
    elif start == b"\xfd7zXZ\x00":
        yield from _read(lzma.LZMAFile(raw))  # noqa: SIM115 - the caller closes the file below it
    elif start.startswith(b"\x28\xb5\x2f\xfd"):
        yield from _read_zstd(raw)
    else:
        yield from _read(raw)


class Readable(Protocol):
    """What :func:`_read` needs of a file."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, none at the end."""
        ...


def _read(file: Readable) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _read_zstd(raw: BufferedReader) -> Iterator[bytes]:
    """All frames one after the other; the library's own reader takes a truncated file for a whole one."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    data = raw.read(CHUNK)
    while data:
        yield frame.decompress(data)
        data = frame.unused_data if frame.eof else b""
        data = data or raw.read(CHUNK)
        if frame.eof and data:
            frame = decompressor.decompressobj()
    if not frame.eof:
        raise EOFError
