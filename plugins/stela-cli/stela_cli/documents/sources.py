"""Which files the words of a command line name, and what reads each: files, folders and standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from stela_cli.documents.reader import Note, Reader
from stela_cli.documents.stream import STANDARD_INPUT
from stela_core import Registry, StelaError
from stela_core.api import did_you_mean, published

NAMED = 5
"""Files left out of a folder that are named."""


@dataclass(frozen=True)
class Readers:
    """The readers of a registry."""

    registry: Registry

    @cached_property
    def by_format(self) -> dict[str, type[Reader]]:
        """The reader of each format: a plugin's in place of one of this package's."""
        names = self.registry.names(Reader)
        ours_first = sorted(names, key=lambda name: self.registry.distribution(Reader, name) != "stela-cli")
        readers = [self.registry.get(Reader, name) for name in ours_first]
        return {reader.format: reader for reader in readers}

    @cached_property
    def all(self) -> list[type[Reader]]:
        """All readers, in the order in which they are asked."""
        return sorted(self.by_format.values(), key=lambda reader: reader.rank)

    def get(self, kind: str) -> type[Reader]:
        """The reader of a format.

        Raises:
            StelaError: there is none.
        """
        if kind not in self.by_format:
            missing = distribution_of_suffix(f".{kind}")
            hint = did_you_mean(kind, self.by_format) if missing is None else f"pip install {missing}"
            raise StelaError(f'there is no reader of format "{kind}".', hint)
        return self.by_format[kind]

    @property
    def readable(self) -> str:
        """Ends of names, for hints."""
        return ", ".join(suffix for reader in reversed(self.all) for suffix in reader.suffixes)

    def by_name(self, path: str) -> type[Reader] | None:
        """The reader that the end of a name says, or ``None``: it has no ending, or one not known."""
        name = Path(path).name.lower()
        return next((reader for reader in self.all if name.endswith(reader.suffixes)), None)


def distribution_of_suffix(suffix: str) -> str | None:
    """The distribution that reads files whose names end so, if it is one of this project's."""
    short = published().suffixes.get(suffix.lower())
    return None if short is None else published().distributions[short]


class Source(NamedTuple):
    """Something to read texts from."""

    path: str
    """``-`` is standard input."""
    reader: type[Reader] | None
    """``None`` where its beginning is to tell."""
    asked: bool = False
    """The user named the kind, whatever the file's name says."""

    @property
    def name(self) -> str:
        """How the user knows it."""
        return STANDARD_INPUT if self.path == "-" else self.path


def sources_of(
    paths: Iterable[str], kind: str | None, note: Note, readers: Readers
) -> list[Source | StelaError]:
    """A source for each file, in order, or what is wrong with a path.

    Args:
        paths: files, folders (read recursively, in the order of their names), ``-``.
        kind: format that all are read as; ``None``: as what they are.
        note: is told which files of folders are left out.
        readers: those at hand.

    Raises:
        StelaError: there is no reader of this name.
    """
    asked = None if kind is None else readers.get(kind)
    sources: list[Source | StelaError] = []
    for path in paths:
        try:
            sources += _sources(path, asked, note, readers)
        except StelaError as error:
            sources.append(error)
    return sources


def _sources(path: str, asked: type[Reader] | None, note: Note, readers: Readers) -> list[Source]:
    if path == "-":
        if asked is not None:
            asked.require()
        return [Source(path, asked, asked is not None)]
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise StelaError(f'"{path}" does not exist.', "check the path") from None
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise StelaError(f'"{path}" cannot be read: {problem}.', "check the path") from None
    if stat.S_ISDIR(mode):
        return _in_folder(path, asked, note, readers)
    known = asked or readers.by_name(path)
    if known is not None:
        known.require()
    elif stat.S_ISREG(mode) and Path(path).suffix:
        missing = distribution_of_suffix(Path(path).suffix)
        if missing is not None:
            raise StelaError(f'"{path}" cannot be read without {missing}.', f"pip install {missing}")
        raise StelaError(
            f'"{path}" cannot be read: this kind of file is not known.',
            f"known are {readers.readable} and names without an ending; --format text reads it as plain text",
        )
    return [Source(path, known, asked is not None)]


def _in_folder(folder: str, asked: type[Reader] | None, note: Note, readers: Readers) -> list[Source]:
    """Regular files of known kinds; links and hidden files are not followed or read."""
    sources: list[Source] = []
    left: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            path = os.path.join(parent, name)
            known = asked or readers.by_name(name)
            regular = stat.S_ISREG(os.lstat(path).st_mode)
            if not regular or (known is None and Path(name).suffix):
                left.append(os.path.relpath(path, folder))
            else:
                sources.append(Source(path, known, asked is not None))
    if left:
        wanted = {distribution_of_suffix(Path(name).suffix) for name in left} - {None}
        install = f"; pip install {' '.join(sorted(map(str, wanted)))} reads more" if wanted else ""
        more = f" and {len(left) - NAMED} more" if len(left) > NAMED else ""
        note(f"{folder}: left out {', '.join(left[:NAMED])}{more}: known are {readers.readable}{install}")
    if not sources:
        raise StelaError(f'"{folder}" holds no file that is read as text.', f"known are {readers.readable}")
    return sources
