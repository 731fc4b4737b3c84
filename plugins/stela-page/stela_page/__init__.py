"""One HTML file that finds marks in the browser, with no server and no connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela page`` and ``stela profile link``."""
    import click

    from stela_page.command import page
    from stela_page.link import profile_link

    cli.add_command(page)
    profile = cli.commands["profile"]
    assert isinstance(profile, click.Group)
    profile.add_command(profile_link)
