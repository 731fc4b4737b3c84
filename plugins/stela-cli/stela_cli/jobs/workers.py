"""What workers need: an executor by its name, and local plugin files on the way to other machines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from stela_cli.jobs.executor import Executor
from stela_cli.jobs.local import Local
from stela_core import Registry, StelaError, create_registry
from stela_core.api import parse_parameters


class PluginFile(NamedTuple):
    """A local plugin file, with its content for workers on other machines."""

    path: str
    content: bytes


def plugin_files(registry: Registry) -> tuple[PluginFile, ...]:
    """The local plugin files of a registry."""
    origins = registry.plugins.origins.values()
    paths = [Path(o.distribution) for o in origins if o.version == "local"]
    return tuple(PluginFile(str(p.resolve()), p.read_bytes()) for p in paths)


def registry_of_worker(files: Iterable[PluginFile]) -> Registry:
    """The plugins installed where a worker runs, and the local files it was sent."""
    os.environ.pop("STELA_PLUGINS", None)  # those files are among the ones sent
    with tempfile.TemporaryDirectory(prefix="stela-plugins-") as folder:
        paths = [local_path(file, Path(folder, str(number))) for number, file in enumerate(files)]
        return create_registry(paths)


def local_path(file: PluginFile, folder: Path) -> Path:
    """Path of the file on this machine: its given path, or a copy of its content in ``folder``."""
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


def make_executor(registry: Registry, name: str, workers: int | None = None, **others: object) -> Executor:
    """Construct the executor of this name.

    Args:
        registry: where it is looked up.
        name: ``local``, or what a plugin registers.
        workers: how many; ``None`` leaves it to the executor.
        others: its other parameters.

    Raises:
        StelaError: no executor has this name, or it cannot run here.
    """
    executor: type[Executor] = Local if name == Local.name else registry.get(Executor, name)
    status = executor.status()
    owner = f'executor "{name}"'
    if not status.ok:
        raise StelaError(f"{owner} cannot run here.", status.hint)
    given = others if workers is None else {**others, "workers": workers}
    return executor(parse_parameters(executor.Parameters, given, owner))
