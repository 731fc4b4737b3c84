"""The page at ``/``: stela-page's, which asks this service for the marks that a browser cannot look for."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from stela_page.holding import Elsewhere, Held, elsewhere_of, held_of
from stela_page.packing import packed
from stela_page.page import served_page_of

from stela_core import StelaError

LARGEST_PART = 16 << 20
"""Bytes of a tokenizer, table or tagger that is tried for the page."""

LARGEST = 4 << 20
"""Bytes of these in the page, packed: the page asks the service for profiles beyond them."""

PIECE = 65_536
"""Bytes that are sent at once: more of them wait in no memory for a client that reads slowly."""


def page_of(
    folder: str | Path, names: Iterable[str], away: Collection[str], secret_tokens: bool
) -> tuple[str, str]:
    """The page and its Content-Security-Policy.

    Args:
        folder: of the profiles.
        names: of their files there, each of which could be opened.
        away: names of those that the page does not hold, even where keys are public: texts are sent here.
        secret_tokens: colours of tokens are told where the key is secret, too.
    """
    here: list[Held] = []
    elsewhere: list[Elsewhere] = []
    sizes: dict[bytes, int] = {}
    for name in sorted(names):
        path = Path(folder) / name
        held = None if name in away else held_within(path, sizes)
        if held is None:
            elsewhere.append(elsewhere_of(path, secret_tokens))
        else:
            here.append(held)
    return served_page_of(here, elsewhere)


def held_within(path: Path, sizes: dict[bytes, int]) -> Held | None:
    """A profile for the page; ``None`` where a browser cannot test for it, or there is no room.

    Args:
        path: of its file.
        sizes: of the parts in the page so far, packed; its own are added.
    """
    try:
        held = held_of(path)
    except StelaError:
        return None
    parts = {part for part in (held.archive.tokenizer, held.archive.table, held.tagger) if part is not None}
    if max(map(len, parts)) > LARGEST_PART:
        return None
    further = {part: len(packed(part)) for part in parts - sizes.keys()}
    if sum(sizes.values()) + sum(further.values()) > LARGEST:
        return None
    sizes.update(further)
    return held


class Page(Response):
    """The page as an answer, sent piece by piece.

    Args:
        html: of the page, in UTF-8.
        policy: its Content-Security-Policy; a header may forbid frames around it, too.
    """

    media_type = "text/html"

    def __init__(self, html: bytes, policy: str) -> None:
        headers = {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
        super().__init__(html, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        for start in range(0, len(self.body), PIECE):
            piece = bytes(self.body[start : start + PIECE])
            more = start + PIECE < len(self.body)
            await send({"type": "http.response.body", "body": piece, "more_body": more})
