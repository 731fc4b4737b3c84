"""``stela profile link``: a profile in a link to a page, in the part of an address that no browser sends.

profile.json, name and signature, as JSON, deflated (RFC 1951) in base64url: tokenizer and table are too
large, so the page has to hold them. ``web/page/links/link.ts`` writes the same links and reads them.
"""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from urllib.parse import urldefrag, urlsplit

import click
from stela_cli.common import registry_of
from stela_cli.printing import say

import stela_core as stela
from stela_page.holding import Held

BEGIN = "#profile="
FORMAT = "stela-link/1"
LONGEST = 8000
"""Characters of its last part: what mail, chats and servers in between still hand on whole."""
LARGEST = 65_536
"""Bytes that it may hold, inflated."""


@click.command(
    "link",
    epilog="\b\nExample:\n  stela profile link p.stela --page https://example.org/verify.html",
)
@click.argument("profile", type=click.Path())
@click.option(
    "--page", "address", required=True, metavar="URL", help="Address of the page that the link opens."
)
@click.pass_context
def profile_link(context: click.Context, profile: str, address: str) -> None:
    """Print a link that makes a page look for the mark of this profile.

    The page is one of stela page or stela serve. It must hold the same tokenizer and, if the profile has
    one, the same table: another profile of the same model and language has them. The link holds the name
    and the public key of the profile.
    """
    from stela_page.command import checked

    if urlsplit(address).scheme not in ("http", "https", "file"):
        raise stela.StelaError(
            f'"{address}" is not an address of a page.', "give one that begins with https://"
        )
    say(urldefrag(address).url + end_of(checked(profile, registry_of(context))))


def end_of(held: Held) -> str:
    """What a link to this profile ends with.

    Raises:
        stela.StelaError: it is too large, or pages take no such profile from a link.
    """
    require_plain(held)
    fields = {
        "format": FORMAT,
        "name": held.name[:200],
        "content": held.content,
        "statement": held.statement,
    }
    data = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    letters = urlsafe_b64encode(deflate.compress(data) + deflate.flush()).decode().rstrip("=")
    if len(data) > LARGEST or len(letters) > LONGEST:
        raise stela.StelaError(
            f"the profile makes a link of {len(letters):,} characters: {LONGEST:,} are the most.",
            "pass on its .stela file",
        )
    return BEGIN + letters


def require_plain(held: Held) -> None:
    """Refuse what pages do not read from links (``web/page/links/sound.ts``).

    Raises:
        stela.StelaError: weights by a tagger, or keys with dates.
    """
    profile = held.archive.profile
    dated = any(key.since or key.until for key in profile.hasher.keys)
    if profile.tagger is not None or dated:
        what = "keys with dates" if dated else "a tagger"
        raise stela.StelaError(
            f'profile "{held.name}" has {what}: no link holds that.', "pass on its .stela file"
        )
