"""Messages between the service and its workers: a byte that says the kind, four of length, JSON.

JSON, not pickle: a worker that a text has taken over can say nothing that runs in the service.
"""

from __future__ import annotations

import asyncio
import struct
from typing import BinaryIO

HEAD = struct.Struct(">cI")

READY, FAILED, RESULT, LAST, REFUSED = b"K", b"F", b"R", b"L", b"E"
"""Messages of a worker: it is ready, it cannot start, the answer, the same and the worker ends now (it has
grown too large), no answer can be given."""

ASK = b"A"
"""Message to a worker: how it is to start, first, and then requests."""


class LostWorkerError(Exception):
    """The worker has ended, or says what is not a message."""


def packed(kind: bytes, content: bytes) -> bytes:
    """One message."""
    return HEAD.pack(kind, len(content)) + content


async def receive(stream: asyncio.StreamReader, most: int) -> tuple[bytes, bytes]:
    """The next message of a worker: its kind and content.

    Raises:
        LostWorkerError: there is none, or it is longer than ``most`` bytes.
    """
    try:
        kind, length = HEAD.unpack(await stream.readexactly(HEAD.size))
        if length > most or kind not in (READY, FAILED, RESULT, LAST, REFUSED):
            raise LostWorkerError
        return kind, await stream.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        raise LostWorkerError from None


def read(stream: BinaryIO) -> bytes | None:
    """The content of the next message in a worker; ``None`` at the end."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    content = stream.read(HEAD.unpack(head)[1])
    return content if len(content) == HEAD.unpack(head)[1] else None
