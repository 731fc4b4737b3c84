"""Stream the documents of a corpus: JSON lines with a ``text``, plain or compressed."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.tables.open_corpus import chunks_of

MAX_LINE = 1 << 28
"""Longest line in bytes: what is longer is no corpus of documents."""

COMPRESSED = (".gz", ".xz", ".zst")


class Corpus:
    """The documents of one file, in order, with bounded memory.

    Iterating raises StelaError where the file is missing or corrupt, or a line is not UTF-8, not JSON,
    has no string ``text``, or holds lone surrogates. With ``skip_bad`` such lines are counted in
    :attr:`bad` and left out.
    """

    def __init__(self, path: str | Path, skip_bad: bool = False) -> None:
        self.path = Path(path)
        self.skip_bad = skip_bad
        self.bad = 0
        """Lines left out so far."""
        self.position = 0
        """Bytes of the file read so far."""

    @property
    def size(self) -> int:
        """Bytes of the file, 0 for a pipe.

        Raises:
            StelaError: it is missing, or is no file.
        """
        if self.path.is_dir():
            raise StelaError(f'corpus "{self.path}" is a folder.', "give a .jsonl file")
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise self._unreadable(error) from None

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines(), start=1):
            if not line.strip():
                continue
            try:
                yield parse_line(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            except ValueError as error:
                if not self.skip_bad:
                    raise StelaError(
                        f"{self.path}:{number} {error}.",
                        'each line is a JSON object with a string "text"; --skip-bad leaves such lines out',
                    ) from None
                self.bad += 1

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as raw:
                for line in split_lines(chunks_of(raw)):
                    self.position = raw.tell() if raw.seekable() else 0
                    yield line
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
            return StelaError(f'corpus "{self.path}" does not exist.', "check the path")
        return StelaError(f'corpus "{self.path}" cannot be read: {error.strerror}.', "give a .jsonl file")

    def _corrupt(self) -> StelaError:
        return StelaError(f'corpus "{self.path}" is corrupt or truncated.', "get the file again")


def parse_line(line: bytes) -> str:
    """The ``text`` of one line.

    Raises:
        ValueError: saying what is wrong with the line.
    """
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {line[error.start]:#04x} at {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({getattr(error, 'msg', 'too deep')})") from None
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise ValueError('has no string "text"')
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"holds a lone surrogate (character {error.start} of its text)") from None
    return text


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


def corpus_names(paths: Iterable[Path]) -> list[str]:
    """A name for each corpus: its file name without endings, numbered where two are alike."""
    names: list[str] = []
    for path in paths:
        file = Path(path.stem) if path.suffix in COMPRESSED else Path(path.name)
        stem = file.stem.encode(errors="replace").decode()
        name, number = stem, 1
        while name in names:
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names
