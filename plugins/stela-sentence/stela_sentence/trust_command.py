"""``stela sentence trust``: take a mark that somebody else made for one's own."""

from __future__ import annotations

import click
from stela_cli.printing import say

from stela_core import StelaError
from stela_core.api import printable, trusted
from stela_sentence.mark_file import read_mark_file


@click.command("trust", epilog="\b\nExample:\n  stela sentence trust m.json")
@click.argument("mark", type=click.Path())
def trust(mark: str) -> None:
    """Trust a mark: its file and key were fixed before the texts were written.

    Until then, a mark that somebody else made decides nothing on this machine.
    """
    if not trusted.add(read_mark_file(mark)):
        raise StelaError(
            "the list of your profiles cannot be written.",
            "set STELA_STATE to a folder that you can write to",
        )
    say(f"{printable(mark)}: its verdicts carry no caveat on this machine")
