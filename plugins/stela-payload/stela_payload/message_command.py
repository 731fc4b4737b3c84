"""``stela message new``: a message for whoever is to be known by it."""

from __future__ import annotations

from datetime import UTC, datetime

import click
from stela_cli.group import Group
from stela_cli.printing import say

from stela_core import Encoder, StelaError, require_well_formed
from stela_core.api import Archive


def add_to(cli: click.Group) -> None:
    """Put the command where it belongs."""
    messages = Group("message", help="Issue the messages that marks carry.")
    messages.add_command(message_new)
    cli.add_command(messages)


@click.command(
    "new",
    epilog="\b\nExample:\n  stela message new --profile p.stela --register issued.jsonl --for customer-17",
)
@click.option(
    "--profile", required=True, type=click.Path(), metavar="P.stela", help="Profile whose marks carry it."
)
@click.option(
    "--register",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="F.jsonl",
    help="Register of the issued messages; made if there is none.",
)
@click.option("--for", "owner", required=True, metavar="TEXT", help="What the message stands for.")
@click.option("--issuer", metavar="NAME", help="Who issues it.")
def message_new(profile: str, register: str, owner: str, issuer: str | None) -> None:
    """Draw a message that is not in the register, and append it to the register.

    The message is printed in hex digits, for stela generate --message. With the register, stela detect
    --messages names the entry of a text.
    """
    from stela_payload.register import issue

    part = Archive.read(profile).profile.message
    if part is None:
        raise Encoder.missing()
    given = {"for": owner} | ({} if issuer is None else {"issuer": issuer})
    for option, text in given.items():
        if not text.strip():
            raise StelaError(f"--{option} is empty.", "say something by which it is known")
        require_well_formed([text], f"--{option}")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    say(issue(register, part.bits, {**given, "at": at}))
