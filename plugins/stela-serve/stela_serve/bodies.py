"""Bodies of requests, read within bounds of size, time and all memory."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from stela_serve.limits import MEBIBYTE, Limits
from stela_serve.refused import RefusedError, busy

DRAINED = 8 * MEBIBYTE
"""Bytes of a body that is too large that are taken in and dropped: a client hears the answer only after it
has sent what it sends."""


class Bodies:
    """What is held of all bodies together.

    Args:
        limits: of one, and of all.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.held = 0

    async def read(self, request: Request) -> bytes:
        """The body. The caller counts it out with :meth:`release`.

        Raises:
            RefusedError: it is not JSON by its headers, too large, too slow, or there is no room for it.
        """
        require_json(request)
        data, length = bytearray(), declared(request)
        try:
            async with asyncio.timeout(self._limits.wait):
                async for piece in request.stream():
                    if len(data) + len(piece) > self._limits.body or length > self._limits.body:
                        length = max(length, len(data)) + len(piece)
                        if length > DRAINED:
                            break
                        continue
                    if self.held + len(piece) > self._limits.held:
                        raise busy("too many large requests are at hand.", 5)
                    self.held += len(piece)
                    data += piece
            if length > self._limits.body:
                most = f"{self._limits.body:,} bytes"
                raise RefusedError(413, f"the body has more than {most}.", "send fewer or shorter texts")
        except TimeoutError:
            self.release(data)
            raise RefusedError(
                408, f"the body did not arrive within {self._limits.wait:g} s.", "send it at once"
            ) from None
        except ClientDisconnect:
            self.release(data)
            raise RefusedError(400, "the body ended too early.", "send all of it") from None
        except BaseException:
            self.release(data)
            raise
        return bytes(data)

    def release(self, data: bytes | bytearray) -> None:
        """Note that a body is held no longer."""
        self.held -= len(data)


def declared(request: Request) -> int:
    """Bytes that the headers say it has; 0 where they say nothing, or nonsense."""
    said = request.headers.get("content-length", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 19 else 0


def require_json(request: Request) -> None:
    """Refuse what is compressed, or no JSON.

    Raises:
        RefusedError: by the headers.
    """
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise RefusedError(415, "compressed bodies are not read.", "leave Content-Encoding out")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "the body is not JSON.", "send Content-Type: application/json")
