"""``stela profile publish``: the secret key of an epoch that is over, for anyone to test texts with."""

from __future__ import annotations

from pathlib import Path

import click

from stela_core.cli.common import force_option, key_from, registry_of, report, say
from stela_core.cli.profile_anew import write_anew
from stela_core.errors import StelaError
from stela_core.files.write import require_free
from stela_core.hashing.slow_keys import slow_key_id
from stela_core.profile import epochs
from stela_core.profile.archive import read_archive
from stela_core.profile.key import Key, number_of
from stela_core.profile.opened import key_words_of_profile
from stela_core.profile.rotation import with_published
from stela_core.profile.schema import Profile


@click.command("publish")
@click.argument("profile", type=click.Path())
@click.option("--key-file", required=True, metavar="FILE", help="The key to publish.")
@click.option("--key-id", metavar="ID", help="The id that it should have. [that of the file's key]")
@click.option("--early", is_flag=True, help="Publish it though its epoch has not ended: it marks no more.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="P.stela")
@force_option
@click.pass_context
def profile_publish(
    context: click.Context,
    profile: str,
    key_file: str,
    key_id: str | None,
    early: bool,
    output: str,
    force: bool,
) -> None:
    """Write a secret key whose epoch has ended into the profile; its other keys stay secret.

    Anyone can test texts of that epoch then, and anyone can write text that bears its mark: verdicts say so.
    """
    require_free(Path(output), force)
    archive = read_archive(profile)
    old = archive.profile
    words = key_words_of_profile(old, registry_of(context))
    given = key_from(key_file)
    assert given is not None
    own_id, number = whose(old, given, key_id, words, key_file)
    made = with_published(old, own_id, number, words, epochs.today(), early)
    write_anew(output, archive, made, profile, force)
    if early:
        say(f"warning: key {own_id} marks no more, and whoever has the file can mark text with it", err=True)
    secret = sum(key.key is None for key in made.hasher.keys)
    report(output, f"{output}: key {own_id} is public, {secret} of {len(made.hasher.keys)} keys stay secret")


def whose(profile: Profile, given: Key, key_id: str | None, words: int, file: str) -> tuple[str, int]:
    """Id and number of the profile's secret key that a file holds.

    Raises:
        StelaError: it holds none of them, or not the one that was named.
    """
    named = [key for key in profile.hasher.keys if key.key_id and key_id in (None, key.key_id)]
    if not named:
        raise StelaError(f"the profile has no key {key_id}.", "stela profile show prints the ids of its keys")
    for part in named:
        number = number_of(given, part.salt, words)
        if part.key_id is not None and slow_key_id(number, part.salt, words) == part.key_id:
            return part.key_id, number
    which = "none of the profile's keys" if key_id is None else f"not the key {key_id}"
    raise StelaError(f'"{file}" holds {which}.', "give the key file that the epoch was marked with")
