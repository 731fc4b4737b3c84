"""What this project publishes: ``published.json`` (scripts/write_published.py), and what is lent by name.

Hints name what to install by it, and a plugin is imported only when something that it brings is asked for.

A profile comes from strangers, so that no name in it reaches a ``pip install``: hints name the
distributions in that file only, found by the naming rule (plugin ``X`` brings components named ``X`` or
``X-...``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError

FILE = Path(__file__).with_name("published.json")

GROUP = "stela"
"""The entry points of plugins."""

LENT = "stela.names"
"""Entry points of what a distribution lends to the core, by name, or took over from it."""

ENVIRONMENT = "STELA_PLUGINS"
"""The variable that names local plugin files."""

NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$"
"""A distribution's name as PEP 508 writes it, of at most 64 characters."""


@dataclass(frozen=True, slots=True)
class Published:
    """What the file holds. ``X`` is a plugin, by the name of its entry point."""

    components: dict[str, list[str]]
    """Kinds of what each ``X`` brings. A weighting's name works as a scheme's, too."""
    distributions: dict[str, str]
    """The distribution of each ``X``: ``stela-X``, or one of several plugins."""
    commands: dict[str, str]
    """Who brings each command."""
    summaries: dict[str, str]
    """The first sentence of each command's help."""
    hooks: dict[str, str]
    """Who brings each hook."""
    suffixes: dict[str, str]
    """Who reads files whose names end so."""
    shipped_tables: dict[str, str]
    """Who ships each table, by its SHA-256."""
    packed_tables: dict[str, str]
    """SHA-256 of the table in each compressed file, by the file's."""
    names: dict[str, str]
    """The module of each name that is lent."""
    recommended: dict[str, str]
    """The scheme that whoever names none gets."""

    def has(self, entry: EntryPoint) -> bool:
        """Whether an entry point is a plugin of this project, by its name and its package."""
        return entry.value.partition(".")[0].replace("_", "-") == self.distributions.get(entry.name)

    def installed(
        self, entries: Iterable[EntryPoint] | None = None
    ) -> tuple[dict[str, EntryPoint], list[EntryPoint]]:
        """The installed plugins of this project by name, and all others, each in the order of their names.

        Args:
            entries: entry points; by default those that were there when this process first asked for any.
        """
        entries = _installed().select(group=GROUP) if entries is None else entries
        ordered = sorted(entries, key=lambda entry: entry.name)
        ours = {entry.name: entry for entry in ordered if self.has(entry)}
        return ours, [entry for entry in ordered if ours.get(entry.name) is not entry]

    def owners_of(self, component: str) -> list[str]:
        """The plugins of this project that may bring a component of this name, by the naming rule."""
        return [name for name in self.components if belongs(component, name)]

    def distribution_of(self, kind: str, component: str) -> str | None:
        """The distribution that brings a component of this kind and name, if it is one of this project's."""
        wanted = {kind, "weighting"} if kind == "scheme" else {kind}
        owners = (name for name in self.owners_of(component) if wanted & {*self.components[name]})
        return next((self.distributions[name] for name in owners), None)

    def name_of(self, distribution: str) -> str | None:
        """The name of a distribution of this project as it is published, or ``None`` for any other."""
        name = re.sub(r"[-_.]+", "-", distribution).lower()
        return name if name in self.distributions.values() else None


@cache
def published() -> Published:
    """What this project publishes, read once."""
    return Published(**json.loads(FILE.read_text(encoding="utf-8")))


@cache
def digest_of_table(path: Path) -> str:
    """SHA-256 of the table's bytes, of the unpacked ones where it is compressed.

    Unpacking takes longer than a short text: of this project's files it is known what is in them.

    Raises:
        OSError: the file cannot be read or unpacked.
    """
    data = path.read_bytes()
    digest = sha256(data).hexdigest()
    if path.suffix != ".xz":
        return digest
    if known := published().packed_tables.get(digest):
        return known
    import lzma

    try:
        return sha256(lzma.decompress(data)).hexdigest()
    except lzma.LZMAError as error:
        raise OSError(f"{path}: {error}") from None


def belongs(component: str, plugin: str) -> bool:
    """Whether a component's name is one that the plugin may register."""
    return component == plugin or component.startswith(f"{plugin}-")


@cache
def _installed() -> Any:
    """The entry points of all that is installed: to look through it takes up to 50 ms."""
    return entry_points()


@cache
def lent_entry(name: str) -> EntryPoint | None:
    """The entry point of a name that is lent; ``None`` where what brings it is not installed."""
    return next(iter(_installed().select(group=LENT, name=name)), None)


def lent(name: str, needed_for: str | None = None) -> Any:
    """What another distribution lends under a name, imported; ``None`` where none does and nothing needs it.

    Args:
        name: of an entry point of the group ``stela.names``.
        needed_for: what cannot be done without it, such as ``generating text``.

    Raises:
        StelaError: something needs it, and the distribution that brings it is not installed.
    """
    entry = lent_entry(name)
    if entry is not None:
        return entry.load()
    if needed_for is None:
        return None
    distribution, _ = _lender(name)
    raise StelaError(f"{needed_for} needs {distribution}.", f"pip install {distribution}")


@cache
def mark_kernels(needed_for: str | None = None) -> Any:
    """Fast ways to mark and to test many keys, looked up once; arguments and errors as for :func:`lent`."""
    return lent("mark_kernels", needed_for)


RENAMED = {"Mark": "Hasher", "Choice": "SamplingHasher", "ContextParameters": "HasherParameters"}
"""Names of 0.3, and what they are now."""


def moved(name: str) -> ImportError | None:
    """What is raised where a name of the core, or of its api, is another one or lies elsewhere by now."""
    if name in RENAMED:
        return ImportError(f"{name} is {RENAMED[name]} now: write stela.{RENAMED[name]}")
    if name not in published().names:
        return None
    distribution, module = _lender(name)
    return ImportError(f"{name} has moved: from {module} import {name} (pip install {distribution})")


def _lender(name: str) -> tuple[str, str]:
    """The distribution that brings a name, and the module there."""
    module = published().names[name]
    return module.partition(".")[0].replace("_", "-"), module
