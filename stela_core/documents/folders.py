"""Which files the words of a command line name: files, folders and standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stela_core.documents.apart import require_library
from stela_core.documents.kinds import READABLE, Kind, kind_of_name
from stela_core.errors import StelaError

NAMED = 5
"""Files left out of a folder that are named."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something to read texts from."""

    path: str
    """``-`` is standard input."""
    kind: Kind | None
    """``None`` where its beginning is to tell."""
    asked: bool = False
    """The user named the kind, whatever the file's name says."""

    @property
    def name(self) -> str:
        """How the user knows it."""
        return "standard input" if self.path == "-" else self.path


def sources_of(
    paths: Iterable[str], kind: Kind | None, note: Callable[[str], None]
) -> list[Source | StelaError]:
    """A source for each file, in order, or what is wrong with a path.

    Args:
        paths: files, folders (read recursively, in the order of their names), ``-``.
        kind: what all are read as; ``None``: as what they are.
        note: is told which files of folders are left out.
    """
    sources: list[Source | StelaError] = []
    for path in paths:
        try:
            sources += _sources(path, kind, note)
        except StelaError as error:
            sources.append(error)
    return sources


def _sources(path: str, kind: Kind | None, note: Callable[[str], None]) -> list[Source]:
    require_library(kind or kind_of_name(path))
    if path == "-":
        return [Source(path, kind, kind is not None)]
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise StelaError(f'"{path}" does not exist.', "check the path") from None
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or error
        raise StelaError(f'"{path}" cannot be read: {problem}.', "check the path") from None
    if stat.S_ISDIR(mode):
        return _in_folder(path, kind, note)
    known = kind or kind_of_name(path)
    if known is None and stat.S_ISREG(mode) and Path(path).suffix:
        raise StelaError(
            f'"{path}" is no kind of file that is read as text.',
            f"known are {READABLE} and names without an ending; --format text reads it as plain text",
        )
    return [Source(path, known, kind is not None)]


def _in_folder(folder: str, kind: Kind | None, note: Callable[[str], None]) -> list[Source]:
    """Regular files of known kinds; links and hidden files are not followed or read."""
    sources: list[Source] = []
    left: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            path = os.path.join(parent, name)
            known = kind or kind_of_name(name)
            regular = stat.S_ISREG(os.lstat(path).st_mode)
            if not regular or (known is None and Path(name).suffix):
                left.append(os.path.relpath(path, folder))
            else:
                sources.append(Source(path, known, kind is not None))
    if left:
        more = f" and {len(left) - NAMED} more" if len(left) > NAMED else ""
        note(f"{folder}: left out {', '.join(left[:NAMED])}{more}: known are {READABLE}")
    if not sources:
        raise StelaError(f'"{folder}" holds no file that is read as text.', f"known are {READABLE}")
    return sources
