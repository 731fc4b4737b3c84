"""Hook of mkdocs: ways through the pages, by reader, as cards on the front page and "Next" at pages' ends.

The ways are in mkdocs.yml, ``extra.ways``: a reader, what they want, and the pages in order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

DOCS = Path(__file__).parents[1] / "docs"
FRONT = "index.md"
ANCHOR = "ways"


class Way(TypedDict):
    """One reader's pages."""

    reader: str
    wants: str
    pages: list[str]


def title_of(page: str) -> str:
    """A page's first heading.

    Raises:
        ValueError: there is none.
        OSError: there is no such page.
    """
    heading = re.search(r"^# (.+)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    if heading is None:
        raise ValueError(f"{page} has no heading")
    return heading[1].strip()


def cards(ways: Sequence[Way]) -> str:
    """The grid for the front page."""
    text = f'<div class="grid cards" id="{ANCHOR}" markdown>\n'
    for way in ways:
        text += f"\n-   **{way['reader']}**\n\n    {way['wants']}\n\n"
        text += "".join(
            f"    {number}. [{title_of(page)}]({page})\n" for number, page in enumerate(way["pages"], 1)
        )
    return f"{text}\n</div>"


def with_cards(markdown: str, ways: Sequence[Way]) -> str:
    """The front page with the cards after its first paragraph.

    Raises:
        ValueError: there is none after a heading.
    """
    opening = re.match(r"\s*# .+\n\s*\n(?:.+\n)+", markdown)
    if opening is None:
        raise ValueError(f"{FRONT} does not begin with a heading and a paragraph")
    return f"{opening[0]}\n{cards(ways)}\n\n{markdown[opening.end() :].lstrip()}"


def next_line(page: str, ways: Sequence[Way]) -> str | None:
    """What ends a page; None where it is on no way.

    A page of several ways names the next one of each.
    """
    lines = []
    for way in ways:
        pages = way["pages"]
        if page not in pages:
            continue
        number = pages.index(page) + 1
        lead = f"**{way['reader']}**, page {number} of {len(pages)}."
        if number < len(pages):
            lines.append(f"{lead} Next: [{title_of(pages[number])}]({pages[number]})")
        else:
            lines.append(f"{lead} Next: [the other ways]({FRONT}#{ANCHOR})")
    return "\n\n".join(lines) or None


def on_page_markdown(markdown: str, page: Any, config: Mapping[str, Any], files: Any) -> str:
    """Add the cards to the front page, and a line to the end of the pages of ways."""
    path, ways = page.file.src_uri, config["extra"]["ways"]
    if path == FRONT:
        return with_cards(markdown, ways)
    line = next_line(path, ways)
    return markdown if line is None else f"{markdown.rstrip()}\n\n---\n\n{line}\n{{ .way }}\n"
