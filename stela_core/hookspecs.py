"""The hooks a plugin can implement. Each returns a class or a list of classes (see docs/hooks.md)."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import pluggy

from stela_core.interfaces import (
    Component,
    Hasher,
    Readings,
    Scheme,
    Scorer,
    Tagger,
    Weighting,
)

if TYPE_CHECKING:
    import click

C = TypeVar("C", bound=Component)
Classes = type[C] | Sequence[type[C]]

PROJECT = "stela"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

INTERFACES: tuple[type[Component], ...] = (
    Tagger,
    Hasher,
    Weighting,
    Scorer,
    Scheme,
    Readings,
)
"""What the hooks below register, in the order in which ``stela plugins`` lists them."""


@hookspec
def stela_register_taggers() -> Classes[Tagger]:  # type: ignore[empty-body]
    """Taggers: text to part-of-speech tags."""


@hookspec
def stela_register_hashers() -> Classes[Hasher]:  # type: ignore[empty-body]
    """Marks (green lists and choices): preceding tokens to what each token draws."""


@hookspec
def stela_register_weightings() -> Classes[Weighting]:  # type: ignore[empty-body]
    """Weightings: position to weight."""


@hookspec
def stela_register_scorers() -> Classes[Scorer]:  # type: ignore[empty-body]
    """Scorers: evidence to statistic and p-value."""


@hookspec
def stela_register_schemes() -> Classes[Scheme]:  # type: ignore[empty-body]
    """Schemes: compositions of the four above."""


@hookspec
def stela_register_readings() -> Classes[Readings]:  # type: ignore[empty-body]
    """Readings: what else a text may have been before it was copied or sent."""


@hookspec
def stela_commands(cli: click.Group) -> None:
    """Add commands to the ``stela`` command line."""


@hookspec
def stela_add_hooks() -> ModuleType:  # type: ignore[empty-body]
    """A module of further hook specifications and their ``INTERFACES``: how the runner brings its own."""
