"""The hooks of what texts are read from and where work runs, next to those of ``stela_core.hookspecs``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_cli.documents.reader import Reader
from stela_cli.jobs.executor import Executor
from stela_core import Component
from stela_core.api import hookspec

INTERFACES: tuple[type[Component], ...] = (Executor, Reader)
"""What the hooks below register."""


@hookspec
def stela_register_executors() -> type[Executor] | Sequence[type[Executor]]:  # type: ignore[empty-body]
    """Executors, which say where work runs: in processes, on clusters."""


@hookspec
def stela_register_readers() -> type[Reader] | Sequence[type[Reader]]:  # type: ignore[empty-body]
    """Kinds of files that texts are read from."""
