"""Language models: loaded, run over texts, and made to write marked text."""

from __future__ import annotations

import logging
from types import ModuleType
from typing import TYPE_CHECKING

import stela_core as stela
from stela_models.model_source import ModelSource

if TYPE_CHECKING:
    import click

__all__ = ["ModelSource", "stela_add_hooks", "stela_commands"]

logging.getLogger(__name__).addHandler(logging.NullHandler())


@stela.hookimpl
def stela_add_hooks() -> ModuleType:
    """Add the hook of models' short names."""
    from stela_models import hookspecs

    return hookspecs


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela generate`` and ``stela demo``."""
    from stela_models.cli.demo import demo
    from stela_models.cli.generate import generate

    cli.add_command(demo)
    cli.add_command(generate)
