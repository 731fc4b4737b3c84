"""Local plugin files on the way to workers, which may be other processes or other machines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from stela_core.registry.components import Registry, create_registry
from stela_core.registry.manager import ENVIRONMENT, LOCAL


class PluginFile(NamedTuple):
    """A local plugin file, with its content for workers on other machines."""

    path: str
    content: bytes


def plugin_files(registry: Registry) -> tuple[PluginFile, ...]:
    """The local plugin files of a registry."""
    origins = registry.plugins.origins.values()
    paths = [Path(o.distribution) for o in origins if o.version == LOCAL]
    return tuple(PluginFile(str(p.resolve()), p.read_bytes()) for p in paths)


def registry_of_worker(files: Iterable[PluginFile]) -> Registry:
    """The plugins installed where a worker runs, and the local files it was sent."""
    os.environ.pop(ENVIRONMENT, None)  # those files are among the ones sent
    with tempfile.TemporaryDirectory(prefix="stela-plugins-") as folder:
        paths = [local_path(file, Path(folder, str(number))) for number, file in enumerate(files)]
        return create_registry(paths)


def local_path(file: PluginFile, folder: Path) -> Path:
    """Where the file lies on this machine: its own place, or a copy of its content in ``folder``."""
    path = Path(file.path)
    try:
        if path.read_bytes() == file.content:
            return path
    except OSError:
        pass
    folder.mkdir()
    copy = folder / path.name
    copy.write_bytes(file.content)
    return copy
