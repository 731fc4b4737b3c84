"""``stela page``: the page that finds a profile's mark, as one HTML file."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import click

import stela_core as stela
from stela_core.api import (
    Archive,
    force_option,
    parse_json,
    read_archive,
    read_bounded,
    registry_of,
    report,
    require_free,
    say,
    write_atomically,
)
from stela_page.page import Held, page_of
from stela_page.reproducible import require_reproducible

MOST = 64
"""Profiles of a page: p-values are times their number."""

LARGEST = 64 << 20
"""Bytes of a profile's file; more is refused by whatever reads it."""


@click.command("page")
@click.argument("more", nargs=-1, metavar="[MORE.stela ...]")
@click.option("--profile", "first", multiple=True, required=True, metavar="P.stela", help="May be repeated.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="PAGE.html")
@force_option
@click.pass_context
def page(
    context: click.Context, more: tuple[str, ...], first: tuple[str, ...], output: str, force: bool
) -> None:
    """Write one HTML file that finds the marks of profiles in a browser.

    It needs no server and opens no connection. P-values are those of stela detect, times the number of
    profiles.
    """
    require_free(Path(output), force)
    paths = [*first, *more]
    if len(paths) > MOST:
        raise stela.StelaError(
            f"{len(paths)} profiles are too many for a page.", f"give at most {MOST}, or write several pages"
        )
    registry = registry_of(context)
    profiles: list[Held] = []
    for path in paths:
        held = held_of(path, registry)
        same = next((one for one in profiles if one.digest == held.digest), None)
        if same is None:
            profiles.append(held)
        else:
            say(f'note: "{path}" is the same profile as "{same.name}": it is looked for once', err=True)
    content = page_of(profiles).encode()
    write_atomically(Path(output), content, replace=force)
    marks = "1 mark" if len(profiles) == 1 else f"{len(profiles)} marks"
    report(output, f"{output}: looks for {marks}, {len(content) / 1e6:.1f} MB")


def held_of(path: str, registry: stela.Registry) -> Held:
    """A profile that a page may hold, checked as for detection here.

    Raises:
        stela.StelaError: it cannot be opened, its key is secret, or a browser would not give its p-values.
    """
    archive = read_archive(path)
    require_public(archive, path)
    stela.load(path, registry=registry)
    tokenizer = parse_json(archive.tokenizer, f'the tokenizer in profile "{path}"', "get the file again")
    require_reproducible(archive.profile.model_dump(mode="json"), tokenizer, f'profile "{path}"')
    data = read_bounded(path, LARGEST, f'profile "{path}"', "give a .stela file: stela profile new makes one")
    return Held(Path(path).stem, sha256(data).hexdigest(), archive)


def require_public(archive: Archive, path: str) -> None:
    """Refuse secret keys: whoever has the page would have the key.

    Raises:
        stela.StelaError: the profile's key, or one before it, is secret.
    """
    hasher = archive.profile.hasher
    if hasher.key is None or any(one.key is None for one in hasher.earlier_keys):
        raise stela.StelaError(
            f'the key of profile "{path}" is secret: a page that looks for its mark would publish it.',
            "test texts with stela detect --key-file, or make a page of a profile with --public-key",
        )
