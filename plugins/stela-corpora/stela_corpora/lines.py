"""Stream the lines of a file, plain or compressed, with bounded memory and errors of one line."""

from __future__ import annotations

import codecs
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from stela_core import StelaError
from stela_core.api import open_to_read
from stela_corpora.chunks import chunks_of

MAX_LINE = 16 << 20
"""Longest line in bytes: ten times the Bible would be longer. A line is held in memory several times."""


class LineFile:
    """The lines of one file, in order.

    Args:
        path: the file.
        what: how errors call it, such as ``corpus``.
        wanted: what to give instead, such as ``give a .jsonl file``.
    """

    def __init__(self, path: str | Path, what: str, wanted: str) -> None:
        self.path = Path(path)
        self._what = what
        self._wanted = wanted
        self.position = 0
        """Bytes of the file read so far."""

    @property
    def size(self) -> int:
        """Bytes of the file, 0 for a pipe.

        Raises:
            StelaError: it is missing, or is not a file.
        """
        if self.path.is_dir():
            raise StelaError(f'{self._what} "{self.path}" is a folder.', self._wanted)
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise self._unreadable(error) from None

    def __iter__(self) -> Iterator[bytes]:
        """Lines without their line feeds; a byte order mark in front of the first is left out.

        Raises:
            StelaError: the file is missing, corrupt or truncated, or a line is too long.
        """
        try:
            with open_to_read(self.path) as raw:
                for number, line in enumerate(split_lines(chunks_of(raw))):
                    self.position = raw.tell() if raw.seekable() else 0
                    yield line if number else line.removeprefix(codecs.BOM_UTF8)
                self.position = self.size
        except (EOFError, lzma.LZMAError):
            raise self._corrupt() from None
        except OSError as error:
            raise (self._unreadable(error) if error.errno else self._corrupt()) from None
        except Exception as error:
            # zlib.error and zstandard.ZstdError share no base, and zstandard is not imported for plain files.
            if type(error).__module__.partition(".")[0] in ("zlib", "zstandard", "zstd"):
                raise self._corrupt() from None
            raise

    def _unreadable(self, error: OSError) -> StelaError:
        if isinstance(error, FileNotFoundError):
            return StelaError(f'{self._what} "{self.path}" does not exist.', "check the path")
        return StelaError(f'{self._what} "{self.path}" cannot be read: {error.strerror}.', self._wanted)

    def _corrupt(self) -> StelaError:
        return StelaError(f'{self._what} "{self.path}" is corrupt or truncated.', "get the file again")


def split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their line feeds.

    Raises:
        StelaError: a line is longer than ``MAX_LINE``.
    """
    parts: list[bytes] = []
    length = 0
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*parts, line])
            parts, length = [], 0
        parts.append(rest)
        length += len(rest)
        if length > MAX_LINE:
            raise StelaError(f"a line is longer than {MAX_LINE >> 20} MiB.", "one document per line")
    if length:
        yield b"".join(parts)
