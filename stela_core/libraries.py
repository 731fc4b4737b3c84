"""Libraries that only some uses of the core need, the extra that installs each, and what is lent by name."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from typing import Any

from stela_core.errors import MissingLibraryError

_OWN_PROCESS = False

LARGE_GENERATION = 10_000
"""Objects that may be made before garbage is looked for."""

EXTRAS = {
    "datasets": "datasets",
    "python-docx": "documents",
    "pypdf": "documents",
    "jinja2": "run",
    "matplotlib": "run",
    "pyarrow": "run",
    "numba": "generate",
    "torch": "generate",
    "transformers": "generate",
}
"""From a distribution to the extra of stela-core."""

MODULES = {"python-docx": "docx"}
"""Where a distribution's module has another name."""


LENT = "stela.names"
"""Entry points of what a distribution lends to the core, by name, or took over from it."""


@cache
def _installed() -> Any:
    """The entry points of all that is installed: to look through it takes up to 50 ms."""
    return entry_points()


def installed_entries(group: str) -> Sequence[EntryPoint]:
    """The entry points of a group, as they were when this process first asked for any."""
    return tuple(_installed().select(group=group))


@cache
def _all_lent() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in reversed(installed_entries(LENT))}


def lent_entry(name: str) -> EntryPoint | None:
    """The entry point of a name that is lent; ``None`` where what brings it is not installed."""
    return _all_lent().get(name)


@cache
def mark_kernels() -> Any:
    """Fast ways to mark and to test many keys; ``None`` where no distribution lends them. Looked up once."""
    entry = lent_entry("mark_kernels")
    return None if entry is None else entry.load()


def core_version() -> str:
    """Version of the installed core."""
    return version("stela-core")


def own_process() -> None:
    """Say that this process is a command of ours: no other program's code runs in it later.

    So pydantic need not look through all that is installed for plugins of its own, which takes milliseconds,
    and garbage is looked for less often: what a command makes is text and numbers, which hold no circles.
    """
    global _OWN_PROCESS
    _OWN_PROCESS = True
    gc.set_threshold(LARGE_GENERATION)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def is_own_process() -> bool:
    """Whether this process is a command of ours, which may keep libraries from what it will not need."""
    return _OWN_PROCESS


def missing(library: str, needed_for: str) -> MissingLibraryError:
    """The error where a library is not installed.

    Args:
        library: one of :data:`EXTRAS`.
        needed_for: what cannot be done without it, such as ``a report``.
    """
    return MissingLibraryError(library, needed_for, f'"stela-core[{EXTRAS[library]}]"')


def require_generation(needed_for: str = "generating text") -> None:
    """Check that what running a model needs is installed, without importing it.

    Raises:
        MissingLibraryError: torch or transformers is missing.
    """
    for library in ("torch", "transformers"):
        require(library, needed_for)


def require(library: str, needed_for: str) -> None:
    """Find out whether a library is installed, without importing it.

    Raises:
        MissingLibraryError: it is not.
    """
    if find_spec(MODULES.get(library, library)) is None:
        raise missing(library, needed_for)
