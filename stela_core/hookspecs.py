"""The hooks a plugin can implement. Each returns a class or a list of classes (see docs/hooks.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import pluggy

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from stela_core.experiment.plan import Plan
    from stela_core.interfaces import (
        Attack,
        Component,
        Executor,
        Hasher,
        Metric,
        ModelSource,
        Scheme,
        Scorer,
        Tagger,
        TextSource,
        Weighting,
    )

    C = TypeVar("C", bound=Component)
    Classes = type[C] | Sequence[type[C]]

PROJECT = "stela"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def stela_register_taggers() -> Classes[Tagger]:  # type: ignore[empty-body]
    """Taggers: text to part-of-speech tags."""


@hookspec
def stela_register_hashers() -> Classes[Hasher]:  # type: ignore[empty-body]
    """Hashers: preceding tokens to a split of the vocabulary."""


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
def stela_register_models() -> Classes[ModelSource]:  # type: ignore[empty-body]
    """Short names for language models."""


@hookspec
def stela_register_executors() -> Classes[Executor]:  # type: ignore[empty-body]
    """Where work runs: processes, clusters."""


@hookspec
def stela_register_attacks() -> Classes[Attack]:  # type: ignore[empty-body]
    """What happens to texts between generation and detection."""


@hookspec
def stela_register_metrics() -> Classes[Metric]:  # type: ignore[empty-body]
    """What is measured in an experiment."""


@hookspec
def stela_register_corpora() -> Classes[TextSource]:  # type: ignore[empty-body]
    """Short names for prompts and human text."""


@hookspec
def stela_before_run(plan: Plan, folder: Path) -> None:
    """An experiment is about to start, or to go on, in this folder."""


@hookspec
def stela_after_run(plan: Plan, folder: Path) -> None:
    """An experiment has ended: records, tables and report are in the folder."""


@hookspec
def stela_commands(cli: click.Group) -> None:
    """Add commands to the ``stela`` command line."""
