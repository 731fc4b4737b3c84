"""``stela profile rotate``: a new current key for a profile; texts are tested for the old ones, too."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from stela_core.cli.common import force_option, key_from, registry_of, report
from stela_core.cli.days import day_option
from stela_core.cli.profile_anew import write_anew
from stela_core.errors import StelaError
from stela_core.files.write import require_free
from stela_core.hashing.keys import new_key
from stela_core.hashing.slow_keys import new_salt
from stela_core.profile import epochs
from stela_core.profile.archive import read_archive
from stela_core.profile.key import number_of
from stela_core.profile.opened import key_words_of_profile
from stela_core.profile.rotation import require_new_key, rotated, with_newest
from stela_core.profile.schema import MOST_KEYS, Profile


@click.command("rotate")
@click.argument("profile", type=click.Path())
@click.option("--key-file", metavar="FILE", help="The new key, of a profile whose key is secret.")
@click.option(
    "--keep",
    type=click.IntRange(1, MOST_KEYS - 1),
    metavar="N",
    help="Keep so many of the keys, the youngest. [all]",
)
@click.option(
    "--from",
    "since",
    metavar="DATE",
    callback=day_option,
    help="The day (UTC, as 2026-12-01) from which it marks, and the old key no more.",
)
@click.option("--until", metavar="DATE", callback=day_option, help="The day from which it marks no more.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="P.stela")
@force_option
@click.pass_context
def profile_rotate(
    context: click.Context,
    profile: str,
    key_file: str | None,
    keep: int | None,
    since: date | None,
    until: date | None,
    output: str,
    force: bool,
) -> None:
    """Give a profile a new key that marks from now on, and test texts for all of its keys.

    P-values are times the number of keys. A public key is drawn; a secret one is in --key-file. With --from,
    each key marks in its epoch; stela detect --written-between then tests for those of the days you name.
    """
    require_free(Path(output), force)
    archive = read_archive(profile)
    old = archive.profile
    public = old.hasher.is_public
    since = first_day(old, since, until)
    if public == (key_file is not None):
        raise StelaError(
            f"the keys of {profile} are {'public' if public else 'secret'}.",
            "leave --key-file out: a key is drawn" if public else "give the new key with --key-file FILE",
        )
    words = key_words_of_profile(old, registry_of(context))
    given, salt = key_from(key_file), None if public else new_salt()
    if given is not None:
        require_new_key(old, given, words)
    key = new_key(words) if given is None else number_of(given, salt, words)
    made = rotated(old if keep is None else with_newest(old, keep), key, words, salt, since, until)
    write_anew(output, archive, made, profile, force)
    epoch = epochs.spelled(made.hasher)
    marks = f"marks {epoch} (UTC)" if epoch else "marks"
    keys = len(made.hasher.keys)
    report(output, f"{output}: key id {made.hasher.key_id} {marks}, texts are tested for {keys} keys")


def first_day(old: Profile, since: date | None, until: date | None) -> date | None:
    """The day from which a new key marks: by default that on which the old one ends, where that is said.

    Raises:
        StelaError: keys have epochs and nothing says when this one's begins, or it is past.
    """
    hasher = old.hasher
    if since is None:
        since = hasher.until
    if since is None and (until or any(key.since or key.until for key in hasher.keys)):
        raise StelaError("the new key's epoch has no first day.", "name it with --from DATE")
    if since is not None and since < epochs.today():
        raise StelaError(
            f"{since} is past, and the new key has marked nothing yet.",
            f"name today, {epochs.today()} (UTC), or a later day with --from DATE",
        )
    return since
