"""Options that commands of sentence marks share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])


def mark_options(command: Command) -> Command:
    """Give a command ``--mark``, ``--key-file`` and ``--embedder``."""
    options = (
        click.option("--mark", required=True, type=click.Path(), metavar="M.json", help="File of the mark."),
        click.option(
            "--key-file", metavar="FILE", help="Key file of a mark with a secret key.  [variable: STELA_KEY]"
        ),
        click.option(
            "--embedder", metavar="M", help="Folder of the mark's sentence-embedding model, where it has one."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
