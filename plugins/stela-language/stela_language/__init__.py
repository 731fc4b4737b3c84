"""Taggers for new languages, a plugin from a treebank by one command; and the language of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela language``."""
    from stela_cli.group import Group

    from stela_language.check_command import language_check
    from stela_language.command import language_new

    group = Group("language", help="Make taggers for new languages, and find the language of a text.")
    group.add_command(language_new, "new")
    group.add_command(language_check, "check")
    cli.add_command(group)
