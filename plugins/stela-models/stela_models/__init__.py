"""Language models: loaded, run over texts, and made to write marked text."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click

logging.getLogger(__name__).addHandler(logging.NullHandler())


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela generate`` and ``stela demo``."""
    from stela_models.cli.demo import demo
    from stela_models.cli.generate import generate

    cli.add_command(demo)
    cli.add_command(generate)
