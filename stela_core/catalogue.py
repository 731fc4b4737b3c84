"""What this project publishes beside the core: ``published.json`` (scripts/write_published.py).

Hints name what to install by it, and a plugin is imported only when something that it brings is asked for.

A profile comes from strangers, so that no name in it reaches a ``pip install``: hints name the
distributions of that file alone, found by the naming rule (distribution ``stela-X`` brings components named
``X`` or ``X-...``).
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from stela_core.libraries import lent_entry, mark_kernels

FILE = Path(__file__).with_name("published.json")

GROUP = "stela"
"""The entry points of plugins."""

ENVIRONMENT = "STELA_PLUGINS"
"""The variable that names local plugin files."""

NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$"
"""A distribution's name as PEP 508 writes it, of at most 64 characters."""


@cache
def published() -> dict[str, dict[str, Any]]:
    """Kinds of each ``X`` (``components``), who brings each of ``commands`` and ``hooks``, the first sentence
    of each command (``summaries``), who reads files of ``suffixes``, who has each of ``shipped_tables``,
    which of them is in each of ``packed_tables`` (both by SHA-256), the module of each of ``names``, the
    scheme that is ``recommended``.

    A weighting's name works as a scheme's, too.
    """
    read: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def is_published(entry: EntryPoint) -> bool:
    """Whether an entry point is a plugin of this project, by its name and its package."""
    known = entry.name in published()["components"]
    return known and entry.value.removesuffix(".plugin") == f"stela_{entry.name.replace('-', '_')}"


def owners_of(component: str) -> list[str]:
    """The plugins of this project that may bring a component of this name, by the naming rule."""
    return [name for name in published()["components"] if belongs(component, name)]


def belongs(component: str, plugin: str) -> bool:
    """Whether a component's name is one that the plugin may register."""
    return component == plugin or component.startswith(f"{plugin}-")


def distribution_of(kind: str, component: str) -> str | None:
    """The distribution that brings a component of this kind and name, if it is one of this project's."""
    wanted = {kind, "weighting"} if kind == "scheme" else {kind}
    for name in owners_of(component):
        if wanted & {*published()["components"][name]}:
            return f"stela-{name}"
    return None


def recommended_name() -> str:
    """The scheme of this project that whoever names none gets."""
    name: str = published()["recommended"]["scheme"]
    return name


def published_name(distribution: str) -> str | None:
    """The name of a distribution of this project as it is published, or ``None`` for any other."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    known = {f"stela-{short}" for short in published()["components"]}
    return name if name in known else None


def moved(name: str) -> ImportError | None:
    """What is raised where a name of the core, or of its api, lies in a distribution of its own by now."""
    if name not in published()["names"]:
        return None
    distribution, module = _lender(name)
    return ImportError(f"{name} has moved: from {module} import {name} (pip install {distribution})")


def lent(name: str, needed_for: str) -> Any:
    """What another distribution lends to the core under a name, imported.

    Args:
        name: of an entry point of the group ``stela.names``.
        needed_for: what cannot be done without it, such as ``generating text``.

    Raises:
        StelaError: the distribution that brings it is not installed.
    """
    entry = lent_entry(name)
    if entry is None:
        distribution, _ = _lender(name)
        raise StelaError(f"{needed_for} needs {distribution}.", f"pip install {distribution}")
    return entry.load()


def needed_kernels(needed_for: str) -> Any:
    """The kernels that :func:`stela_core.libraries.mark_kernels` looks up once, for what numpy does not do.

    Raises:
        StelaError: the distribution that brings them is not installed.
    """
    return mark_kernels() or lent("mark_kernels", needed_for)


def _lender(name: str) -> tuple[str, str]:
    """The distribution that brings a name, and the module there."""
    module: str = published()["names"][name]
    return module.partition(".")[0].replace("_", "-"), module
