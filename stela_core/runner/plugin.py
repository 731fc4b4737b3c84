"""The runner as a plugin of the core, found by its entry point as any other: it brings hooks of its own."""

from __future__ import annotations

from types import ModuleType

from stela_core.hookspecs import hookimpl


@hookimpl
def stela_add_hooks() -> ModuleType:
    """Attacks, metrics, and the beginning and end of a run."""
    from stela_core.runner import hookspecs

    return hookspecs
