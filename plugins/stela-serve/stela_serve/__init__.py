"""``stela serve``: texts checked over HTTP for the marks of a folder of profiles (docs/service.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela serve``."""
    # Here, since every command of stela imports the plugins.
    from stela_serve.command import serve

    cli.add_command(serve)
