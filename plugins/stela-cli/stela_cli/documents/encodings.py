"""Texts that are not in UTF-8: UTF-16 and UTF-32 with a byte order mark are read."""

from __future__ import annotations

import codecs
from typing import Any

from stela_core import StelaError

MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks: the longer ones first, since one begins as another."""

PIECE = 1 << 16
UTF8_HINT = "save it as text in UTF-8"


class NotUtf8Error(StelaError):
    """What was read is not UTF-8.

    Args:
        message: as of every error.
        data: that could not be read.
    """

    def __init__(self, message: str, data: bytes) -> None:
        super().__init__(message, UTF8_HINT)
        self.data = data


class Utf8:
    """The bytes of a binary stream; UTF-16 and UTF-32 with a byte order mark are given as UTF-8.

    Args:
        raw: the stream.
        name: of the file, in errors.
    """

    def __init__(self, raw: Any, name: str) -> None:
        self._raw, self._name = raw, name
        self._first: bytes | None = None
        self._decoder: codecs.IncrementalDecoder | None = None

    def read(self, size: int) -> bytes:
        """The next bytes, about ``size`` of them; none at the end.

        Raises:
            StelaError: they are not what the mark says.
        """
        if self._first is None:
            self._first = self._raw.read(4) or b""
            encoding = next((name for mark, name in MARKS.items() if self._first.startswith(mark)), None)
            self._decoder = codecs.getincrementaldecoder(encoding)() if encoding else None
        first, self._first = self._first, b""
        if self._decoder is None:
            return first or self._raw.read(size) or b""
        try:
            while data := first or self._raw.read(PIECE):
                first = b""
                if text := self._decoder.decode(data):
                    return text.encode()
            return self._decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            message = f"{self._name} begins as UTF-16 or UTF-32 and is not: {error}."
            raise StelaError(message, UTF8_HINT) from None
