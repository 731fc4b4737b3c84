"""``stela page``: the page that finds a profile's mark, as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import force_option, registry_of
from stela_cli.printing import report, say

import stela_core as stela
from stela_core.api import require_free, write_atomically
from stela_page.holding import Held, held_of
from stela_page.page import page_of

MOST = 64
"""Profiles of a page: p-values are times their number."""


@click.command("page", epilog="\b\nExample:\n  stela page --profile p.stela -o verify.html")
@click.argument("more", nargs=-1, metavar="[MORE.stela ...]")
@click.option(
    "--profile",
    "first",
    multiple=True,
    required=True,
    metavar="P.stela",
    help="Profile whose mark the page looks for. May be repeated.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="PAGE.html",
    help="Page to write.",
)
@click.option("--pdf", is_flag=True, help="Let the page read PDF files, too. It is then 0.7 MB larger.")
@force_option
@click.pass_context
def page(
    context: click.Context, more: tuple[str, ...], first: tuple[str, ...], output: str, pdf: bool, force: bool
) -> None:
    """Write one HTML file that tests texts in a browser.

    The page needs no server and opens no connection. Its p-values are those of stela detect, multiplied by
    the number of profiles.
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
        held = checked(path, registry)
        same = next((one for one in profiles if one.digest == held.digest), None)
        if same is None:
            profiles.append(held)
        else:
            say(f'note: "{path}" is the same profile as "{same.name}": it is tested once', err=True)
    content = page_of(profiles, pdf).encode()
    write_atomically(Path(output), content, replace=force)
    marks = "1 mark" if len(profiles) == 1 else f"{len(profiles)} marks"
    report(output, f"{output}: looks for {marks}, {len(content) / 1e6:.1f} MB")


def checked(path: str, registry: stela.Registry) -> Held:
    """A profile that a page may hold, and that a page should be made of.

    Raises:
        stela.StelaError: as for :func:`held_of`, it cannot be opened, or is signed and the signature does not
            hold: nobody should hand it on.
    """
    from stela_sign.profile_signature import signature_of  # commands are made whenever stela starts

    held = held_of(path, registry)
    stela.load(path, registry=registry)
    signature_of(path)
    return held
