"""One HTML file that finds marks in the browser, with no server and no connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela page``."""
    from stela_page.command import page

    cli.add_command(page)
