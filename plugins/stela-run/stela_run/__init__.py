"""Experiments: plugins compared by a plan, cell by cell, and the report of it.

Attacks and metrics subclass :class:`Attack` and :class:`Metric`, and are registered by the hooks of
``stela_run.hookspecs``.
"""

from __future__ import annotations

import logging
from types import ModuleType
from typing import TYPE_CHECKING

import stela_core as stela
from stela_run.attack import Attack, Circumstances
from stela_run.metric import Marked, Metric, Sample, Unmarked, Value
from stela_run.preflight import Preflight

if TYPE_CHECKING:
    import click

__all__ = ["Attack", "Circumstances", "Marked", "Metric", "Preflight", "Sample", "Unmarked", "Value"]

logging.getLogger(__name__).addHandler(logging.NullHandler())


@stela.hookimpl
def stela_add_hooks() -> ModuleType:
    """Attacks, metrics, and the beginning and end of a run."""
    from stela_run import hookspecs

    return hookspecs


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela new``, ``stela compare``, ``stela run`` and ``stela profile report``."""
    import click

    from stela_run.cli.compare import compare
    from stela_run.cli.new import new
    from stela_run.cli.profile_report import profile_report
    from stela_run.cli.run import run

    cli.add_command(compare)
    cli.add_command(new)
    cli.add_command(run)
    profile = cli.commands["profile"]
    assert isinstance(profile, click.Group)
    profile.add_command(profile_report, "report")
