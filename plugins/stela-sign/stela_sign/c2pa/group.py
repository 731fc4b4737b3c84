"""``stela c2pa``: a file is written about, unless a command is named first."""

from __future__ import annotations

import click
from stela_cli.group import Group

from stela_sign.c2pa.command import write
from stela_sign.c2pa.find_command import find


class WriteByDefault(Group):
    """A group whose first word is the first argument of ``write`` where it is not a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``write`` before what names no command and asks for no help."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["write", *args]
        return super().parse_args(ctx, args)


c2pa = WriteByDefault(
    "c2pa",
    help="Write a C2PA manifest definition for a marked text, or find those of a message.",
    subcommand_metavar="[write] FILE [OPTIONS] | COMMAND [ARGS]...",
)
c2pa.add_command(write)
c2pa.add_command(find)
