"""Texts of a plan by reference: in a file that goes with the process, and where each begins in it."""

from __future__ import annotations

import hashlib
import json
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Any, Generic, TypeVar, overload

from stela_core import StelaError

T = TypeVar("T")

IN_MEMORY = 1 << 20
"""Bytes up to which no file is needed."""

AT_ONCE = 1 << 20
"""Bytes that are read at once for a digest."""


class OnDisk(Sequence[T], Generic[T]):
    """Values of JSON, each written once and read when it is asked for; a slice is a list.

    Args:
        made: gives a value back from what JSON made of it.
    """

    def __init__(self, made: Callable[[Any], T]) -> None:
        self._made = made
        self._ends = array("Q")
        """End of each in the file, a comma or nothing behind it."""
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        self._lock = Lock()
        weakref.finalize(self, self._file.close)

    def append(self, value: T) -> None:
        """Write one more.

        Raises:
            StelaError: there is no room for it.
        """
        data = canonical_json(value).encode("utf-8", "surrogatepass")
        with self._lock:
            try:
                end = self._file.seek(0, 2)
                self._file.write(b"," + data if self._ends else data)
            except OSError as error:
                raise StelaError(
                    f"the texts cannot be written to a temporary file: {error.strerror}.",
                    "name a folder with more room in TMPDIR",
                ) from None
            self._ends.append(end + len(data) + bool(self._ends))

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return self._read(start, max(start, stop))
            return [self[place] for place in range(start, stop, step)]
        place = range(len(self))[index]
        return self._read(place, place + 1)[0]

    def __iter__(self) -> Iterator[T]:
        for start in range(0, len(self), 256):
            yield from self._read(start, min(start + 256, len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OnDisk | list):
            return NotImplemented
        return len(self) == len(other) and all(map(lambda a, b: bool(a == b), self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} texts>"

    def json(self) -> Iterator[bytes]:
        """A list of all as :func:`canonical_json` writes it, in pieces."""
        yield b"["
        size = self._ends[-1] if self._ends else 0
        for start in range(0, size, AT_ONCE):
            yield self._bytes(start, min(start + AT_ONCE, size))
        yield b"]"

    def _read(self, start: int, stop: int) -> list[T]:
        if start >= stop:
            return []
        begin = self._ends[start - 1] + 1 if start else 0
        text = self._bytes(begin, self._ends[stop - 1]).decode("utf-8", "surrogatepass")
        return [self._made(value) for value in json.loads(f"[{text}]")]

    def _bytes(self, start: int, stop: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            return self._file.read(stop - start)


def canonical_json(value: Any) -> str:
    """JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest_of(content: Any) -> str:
    """Digest of :func:`canonical_json`, in which texts on disk are lists; they are read piece by piece."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in _pieces(content):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(content: Any) -> Iterator[bytes]:
    if isinstance(content, OnDisk):
        yield from content.json()
    elif isinstance(content, Mapping):
        yield b"{"
        for number, name in enumerate(sorted(content)):
            yield (b"," if number else b"") + canonical_json(name).encode("utf-8", "surrogatepass") + b":"
            yield from _pieces(content[name])
        yield b"}"
    elif isinstance(content, list):
        yield b"["
        for number, value in enumerate(content):
            yield b"," if number else b""
            yield from _pieces(value)
        yield b"]"
    else:
        yield canonical_json(content).encode("utf-8", "surrogatepass")
