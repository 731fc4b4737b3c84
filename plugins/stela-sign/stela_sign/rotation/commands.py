"""``stela profile rotate`` and ``publish``."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.printing import report, say

from stela_core import StelaError
from stela_core.api import Archive, Key, KeyPart, Profile, number_of, require_free, trusted
from stela_sign.rotation.keys import key_words, require_new_key, rotated, today, with_newest, with_published


def day_option(context: click.Context, parameter: click.Parameter, value: str | None) -> date | None:
    """A day of an option."""
    if value is None:
        return None
    try:
        return KeyPart.day_of(value)
    except ValueError as error:
        raise click.BadParameter(f'"{value}" is not a day: {error}') from None


@click.command(
    "rotate",
    epilog="\b\nExample:\n  stela profile rotate p.stela --from 2026-12-01 --key-file winter.txt "
    "-o p.stela --force",
)
@click.argument("profile", type=click.Path())
@click.option("--key-file", metavar="FILE", help="File of the new key, if the profile's key is secret.")
@click.option(
    "--keep",
    type=click.IntRange(1, Profile.MOST_KEYS - 1),
    metavar="N",
    help="Number of newest keys to keep.  [default: all]",
)
@click.option(
    "--from",
    "since",
    metavar="DATE",
    callback=day_option,
    help="First day of the new key (UTC, as 2026-12-01). The old key marks until then.",
)
@click.option(
    "--until", metavar="DATE", callback=day_option, help="Day from which the new key no longer marks."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="P.stela",
    help="Profile to write.",
)
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
    """Give a profile a new key. Texts are then tested for all keys of the profile.

    P-values are multiplied by the number of keys. A public key is drawn here; a secret key comes from
    --key-file. With --from, each key marks in its epoch, and stela detect --written-between tests only for
    the keys of the days that you name.
    """
    require_free(Path(output), force)
    archive = Archive.read(profile)
    old = archive.profile
    public = old.hasher.is_public
    since = first_day(old, since, until)
    if public == (key_file is not None):
        raise StelaError(
            f"the keys of {profile} are {'public' if public else 'secret'}.",
            "leave --key-file out: a key is drawn" if public else "give the new key with --key-file FILE",
        )
    words = key_words(old, registry_of(context))
    given = key_from(key_file)
    if given is not None:
        require_new_key(old, given, words)
    key, salt = KeyPart.number_and_salt(given, public, words)
    made = rotated(old if keep is None else with_newest(old, keep), key, words, salt, since, until)
    write_anew(output, archive, made, profile, force)
    epoch = made.hasher.epoch
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
    if since is not None and since < today():
        raise StelaError(
            f"{since} is past, and the new key has marked nothing yet.",
            f"name today, {today()} (UTC), or a later day with --from DATE",
        )
    return since


@click.command(
    "publish",
    epilog="\b\nExample:\n  stela profile publish p.stela --key-file autumn.txt -o p.stela --force",
)
@click.argument("profile", type=click.Path())
@click.option("--key-file", required=True, metavar="FILE", help="File of the key to publish.")
@click.option(
    "--key-id", metavar="ID", help="Id that the key should have.  [default: the id of the key in the file]"
)
@click.option(
    "--early", is_flag=True, help="Publish the key before its epoch has ended. It then no longer marks."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="P.stela",
    help="Profile to write.",
)
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
    """Publish a secret key whose epoch has ended: it is written into the profile.

    Anyone can then test texts of that epoch. Anyone can also write text with its mark, and verdicts say so.
    The other keys of the profile are kept secret.
    """
    require_free(Path(output), force)
    archive = Archive.read(profile)
    old = archive.profile
    words = key_words(old, registry_of(context))
    given = key_from(key_file)
    assert given is not None
    marked_id, number = whose(old, given, key_id, words, key_file)
    made = with_published(old, marked_id, number, words, today(), early)
    write_anew(output, archive, made, profile, force)
    if early:
        say(
            f"warning: key {marked_id} marks no new text, but anyone who has the file can mark text with it",
            err=True,
        )
    secret = sum(key.key is None for key in made.hasher.keys)
    report(
        output, f"{output}: key {marked_id} is public, {secret} of {len(made.hasher.keys)} keys stay secret"
    )


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
        if part.key_id is not None and part.is_key(number, words):
            return part.key_id, number
    which = "none of the profile's keys" if key_id is None else f"not the key {key_id}"
    raise StelaError(f'"{file}" holds {which}.', "give the key file that the epoch was marked with")


def write_anew(output: str | Path, archive: Archive, made: Profile, given: str, force: bool) -> None:
    """Write a changed profile; it remains this user's profile, and what it loses is said.

    Args:
        output: the new file.
        archive: what was read of the old one.
        made: the changed profile.
        given: the old file.
        force: replace a file of the new one's name.
    """
    is_mine, left_out = archive.profile in trusted, not_carried_over(archive, given)
    replace(archive, profile=made).write(output, replace=force)
    if is_mine:
        trusted.add(made)
    for name in left_out:
        say(f"note: {name} signed the earlier profile and is left out: sign again", err=True)


def not_carried_over(archive: Archive, path: str | Path) -> list[str]:
    """Names of what lies in the file with the profile, such as a signature: it goes when that changes.

    Args:
        archive: what was read of the file, whose list of members is small then.
        path: of the file.
    """
    with zipfile.ZipFile(path) as source:
        return sorted({name[:80] for name in source.namelist()} - archive.members.keys())
