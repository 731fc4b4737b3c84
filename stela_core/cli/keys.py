"""``stela key new``."""

from __future__ import annotations

import click

from stela_core.cli.common import say
from stela_core.hashing.key_file import write_key_file
from stela_core.hashing.keys import new_key


@click.command("new")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE")
def key_new(output: str) -> None:
    """Draw a key into a new file that its owner alone can read; a file that exists is never replaced."""
    write_key_file(output, new_key())
    say(f"{output}: a new key; keep a copy, marks made with it cannot be found without it")
