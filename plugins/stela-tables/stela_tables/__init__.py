"""Tables of weights: read and looked up, counted from text or treebanks, learned from models."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click

logging.getLogger(__name__).addHandler(logging.NullHandler())


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela lambda``."""
    from stela_cli.group import Group

    from stela_tables.cli.lambda_build import lambda_build
    from stela_tables.cli.lambda_gains import lambda_gains
    from stela_tables.cli.lambda_learn import lambda_learn
    from stela_tables.cli.lambda_merge import lambda_merge
    from stela_tables.cli.lambda_show import lambda_show

    group = Group("lambda", help="Build, learn, merge and show indeterminacy tables.")
    group.add_command(lambda_build, "build")
    group.add_command(lambda_gains, "gains")
    group.add_command(lambda_learn, "learn")
    group.add_command(lambda_merge, "merge")
    group.add_command(lambda_show, "show")
    cli.add_command(group)
