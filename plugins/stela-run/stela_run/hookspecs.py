"""The hooks of experiments, besides those of ``stela_core.hookspecs``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stela_core import Component
from stela_core.api import hookspec
from stela_run.attack import Attack
from stela_run.metric import Metric

if TYPE_CHECKING:
    from stela_run.plan.plan import Plan

INTERFACES: tuple[type[Component], ...] = (Attack, Metric)
"""What the hooks below register."""


@hookspec
def stela_register_attacks() -> type[Attack] | Sequence[type[Attack]]:  # type: ignore[empty-body]
    """What happens to texts between generation and detection."""


@hookspec
def stela_register_metrics() -> type[Metric] | Sequence[type[Metric]]:  # type: ignore[empty-body]
    """What is measured in an experiment."""


@hookspec
def stela_before_run(plan: Plan, folder: Path) -> None:
    """An experiment is about to start, or to go on, in this folder."""


@hookspec
def stela_after_run(plan: Plan, folder: Path) -> None:
    """An experiment has ended: records, tables and report are in the folder."""
