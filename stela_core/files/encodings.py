"""Texts that are not in UTF-8: UTF-16 and UTF-32 with a byte order mark are read, others are named."""

from __future__ import annotations

import codecs
import re
import shlex
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError

MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks: the longer ones first, since one begins as another."""

# As Python calls them, and as iconv does.
GUESSED = {
    "gb18030": "GB18030",
    "cp949": "CP949",
    "cp1252": "CP1252",
    "big5": "BIG5",
    "shift_jis": "CP932",
    "euc_jp": "EUC-JP",
    "cp1251": "CP1251",
    "koi8_r": "KOI8-R",
    "cp1253": "CP1253",
    "cp1254": "CP1254",
    "cp1256": "CP1256",
    "utf_16_le": "UTF-16LE",
    "utf_16_be": "UTF-16BE",
    "utf_32_le": "UTF-32LE",
    "utf_32_be": "UTF-32BE",
}
KANA = re.compile(r"[\u3041-\u30ff]")
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


def hint_to_convert(error: NotUtf8Error, path: str, beginning: bytes) -> str:
    """A command that makes UTF-8 of a file, where its encoding can be guessed.

    Args:
        error: what could not be read of it.
        path: of the file; ``-`` is standard input.
        beginning: its first bytes.
    """
    encoding = guessed(beginning) or guessed(error.data)
    if encoding is None:
        return error.hint
    convert = f"iconv -f {GUESSED[encoding]} -t UTF-8"
    if path == "-":
        return f"if it is {GUESSED[encoding]}, pipe it through: {convert}"
    file = Path(path)
    if file.suffix == ".gz":
        target = file.with_suffix("")
        convert = f"gunzip -c {_word(path)} | {convert}"
    else:
        target, convert = file, f"{convert} {_word(path)}"
    target = target.with_name(f"{target.stem}.utf-8{target.suffix}")
    return f"if it is {GUESSED[encoding]}, convert it and test the copy: {convert} > {_word(str(target))}"


def _word(path: str) -> str:
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def guessed(data: bytes) -> str | None:
    """The encoding that a text seems to have, as Python calls it; ``None``: UTF-8, or it is not known."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        pass
    else:
        return _of_zeros(data)
    if data.startswith(b"\x1f\x8b"):  # compressed
        return None
    zeros = _of_zeros(data)
    if zeros is not None:
        return zeros
    from charset_normalizer import from_bytes

    matches = from_bytes(data[:PIECE], cp_isolation=list(GUESSED)[:-2])
    best = matches.best()
    # Of Japanese, other encodings make words that look as likely.
    japanese = [one for one in matches if len(KANA.findall(str(one))) > len(str(one)) / 10]
    match = japanese[0] if japanese else best
    return match.encoding if match is not None and match.encoding in GUESSED else None


def _of_zeros(data: bytes) -> str | None:
    """UTF-16 or UTF-32 of Latin letters, by where its zeros are; ``None`` where there are few."""
    zeros = data.count(0)
    if zeros < len(data) / 5:
        return None
    little = data[1::2].count(0) >= data[::2].count(0)
    width = 32 if zeros > len(data) * 0.6 else 16
    if width == 32:
        little = data[3::4].count(0) >= data[::4].count(0)
    encoding = f"utf_{width}_{'le' if little else 'be'}"
    text = data[: len(data) // 4 * 4].decode(encoding, "replace")
    printable = sum(character.isprintable() or character.isspace() for character in text)
    return encoding if text and printable > 0.95 * len(text) else None
