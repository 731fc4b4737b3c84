"""Bytes of a corpus file, plain or compressed (.gz, .xz, .zst), in chunks.

However little a file holds of what it unpacks to, no more than ``BURST`` bytes are unpacked at once.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Iterator
from io import BufferedReader

CHUNK = 1 << 18
BURST = 1 << 25
"""Bytes that one call unpacks at most: zstandard sets no limit, and a block of 128 KiB may take 4 bytes."""
ZSTD_CHUNK = BURST // (1 << 17) * 4
XZ_MEMORY = 128 << 20
"""Bytes that unpacking may take: ``xz -9`` needs 65 MiB. A header may ask for 4 GiB."""


def chunks_of(raw: BufferedReader) -> Iterator[bytes]:
    """Decompressed bytes; the first bytes, not the name, tell how the file is compressed.

    Raises:
        OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError: it is corrupt or truncated.
    """
    start = raw.peek(6)[:6]
    if start.startswith(b"\x1f\x8b"):
        yield from _read_gzip(raw)
    elif start == b"\xfd7zXZ\x00":
        yield from _read_xz(raw)
    elif start.startswith(b"\x28\xb5\x2f\xfd"):
        yield from _read_zstd(raw)
    else:
        while chunk := raw.read(CHUNK):
            yield chunk


def _read_gzip(raw: BufferedReader) -> Iterator[bytes]:
    data = raw.read(CHUNK)
    while data:
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            part = stream.decompress(data, CHUNK)
            yield part
            data = stream.unconsumed_tail
            # A full part may have left some that was taken but not given.
            if not (data or stream.eof or len(part) == CHUNK):
                data = _more(raw)
        data = _next_stream(stream.unused_data, raw)


def _read_xz(raw: BufferedReader) -> Iterator[bytes]:
    data = raw.read(CHUNK)
    while data:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY)
        while not stream.eof:
            yield stream.decompress(data, CHUNK)
            data = _more(raw) if stream.needs_input and not stream.eof else b""
        data = _next_stream(stream.unused_data, raw)


def _more(raw: BufferedReader) -> bytes:
    data = raw.read(CHUNK)
    if not data:
        raise EOFError
    return data


def _next_stream(rest: bytes, raw: BufferedReader) -> bytes:
    """The beginning of what follows a stream: another one, after zero bytes (padding), or nothing."""
    while not (rest := rest.lstrip(b"\0")):
        rest = raw.read(CHUNK)
        if not rest:
            return b""
    return rest


def _read_zstd(raw: BufferedReader) -> Iterator[bytes]:
    """All frames one after the other; the library's own reader takes a truncated file for a whole one."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    data = raw.read(ZSTD_CHUNK)
    while data:
        yield frame.decompress(data)
        data = frame.unused_data if frame.eof else b""
        data = data or raw.read(ZSTD_CHUNK)
        if frame.eof and data:
            frame = decompressor.decompressobj()
    if not frame.eof:
        raise EOFError
