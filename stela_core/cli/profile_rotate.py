"""``stela profile rotate``: a new current key for a profile; texts are tested for the old ones, too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from stela_core.cli.common import force_option, key_from, registry_of, report
from stela_core.errors import StelaError
from stela_core.files.write import require_free
from stela_core.hashing.keys import new_key
from stela_core.hashing.slow_keys import new_salt
from stela_core.profile.archive import read_archive, write_archive
from stela_core.profile.key import number_of
from stela_core.profile.key_set import rotated, with_newest
from stela_core.profile.opened import key_words_of_profile
from stela_core.profile.own import is_own, remember
from stela_core.profile.schema import MOST_KEYS


@click.command("rotate")
@click.argument("profile", type=click.Path())
@click.option("--key-file", metavar="FILE", help="The new key, of a profile whose key is secret.")
@click.option(
    "--keep",
    type=click.IntRange(1, MOST_KEYS - 1),
    metavar="N",
    help="Keep so many of the keys, the youngest. [all]",
)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="P.stela")
@force_option
@click.pass_context
def profile_rotate(
    context: click.Context, profile: str, key_file: str | None, keep: int | None, output: str, force: bool
) -> None:
    """Give a profile a new key that marks from now on, and test texts for all of its keys.

    P-values are times the number of keys. A public key is drawn; a secret one is in --key-file.
    """
    require_free(Path(output), force)
    archive = read_archive(profile)
    old = archive.profile
    public = old.hasher.key is not None
    if public == (key_file is not None):
        raise StelaError(
            f"the keys of {profile} are {'public' if public else 'secret'}.",
            "leave --key-file out: a key is drawn" if public else "give the new key with --key-file FILE",
        )
    words = key_words_of_profile(old, registry_of(context))
    given, salt = key_from(key_file), None if public else new_salt()
    key = new_key(words) if given is None else number_of(given, salt, words)
    made = rotated(old if keep is None else with_newest(old, keep), key, words, salt)
    own = is_own(old)
    write_archive(output, replace(archive, profile=made), replace=force)
    if own:
        remember(made)
    keys = 1 + len(made.hasher.earlier_keys)
    report(output, f"{output}: key id {made.hasher.key_id} marks, texts are tested for {keys} keys")
