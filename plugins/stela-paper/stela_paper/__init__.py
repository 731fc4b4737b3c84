"""The experiments of the STELA paper, and more, redone by one command, and the pages of what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela paper``."""
    from stela_paper.command import paper

    cli.add_command(paper)
