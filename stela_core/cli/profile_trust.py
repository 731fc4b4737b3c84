"""``stela profile trust``: take somebody's profile for one's own."""

from __future__ import annotations

import click

from stela_core.errors import StelaError
from stela_core.profile.archive import read_archive
from stela_core.profile.own import forget, remember


@click.command("trust")
@click.argument("profile", type=click.Path())
@click.option("--undo", is_flag=True, help="Take it for somebody else's again.")
def profile_trust(profile: str, undo: bool) -> None:
    """Say that key and table of a profile were fixed before the texts that it will test.

    Its verdicts then carry no caveat on this machine. Profiles made here need no such word.
    """
    content = read_archive(profile).profile
    if not (forget(content) if undo else remember(content)):
        raise StelaError(
            "the list of your profiles cannot be written.",
            "it lies in your folder of state; name another one in STELA_STATE",
        )
    click.echo(f"{profile}: its verdicts carry {'a caveat again' if undo else 'no caveat'} on this machine")
