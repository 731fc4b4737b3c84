"""The page as one HTML file: the built program, and profiles in elements that no browser runs or shows."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Any

from stela_core.api import Archive

POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; worker-src blob:; connect-src 'none'; "
    "base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy: the page's own script and style, by their hashes, and a worker made of it,
which inherits the policy. What is not named (pictures, fonts, frames) falls under default-src."""


@dataclass(frozen=True, slots=True)
class Held:
    """A profile that a page holds."""

    name: str
    """What visitors read: anybody's words."""
    digest: str
    """SHA-256 of its file."""
    archive: Archive


def page_of(profiles: Sequence[Held]) -> str:
    """The whole file.

    Args:
        profiles: at least one; files that several have in common lie in the page once.

    Returns:
        HTML that refers to nothing outside itself.
    """
    built = files("stela_page") / "built"
    script, style, template = (
        (built / name).read_text(encoding="utf-8") for name in ("page.js", "page.css", "page.html")
    )
    parts = {
        "policy": POLICY.format(script=source_hash(script), style=source_hash(style)),
        "style": style,
        "script": script,
        "data": data_of(profiles),
    }
    before, *rest = template.split("@")
    # Split, not replaced one after another: what is filled in may hold any of the names.
    filled = (parts[piece] if number % 2 == 0 else piece for number, piece in enumerate(rest))
    return before + "".join(filled)


def source_hash(source: str) -> str:
    """What a Content-Security-Policy names an inline script or style by (CSP Level 3, 2.3.1)."""
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


def data_of(profiles: Sequence[Held]) -> str:
    """The elements that hold the profiles."""
    ids: dict[str, str] = {}
    elements: list[str] = []

    def kept(data: bytes) -> str:
        """The id of the element that holds a file."""
        digest = sha256(data).hexdigest()
        if digest not in ids:
            ids[digest] = f"file-{len(ids) + 1}"
            elements.append(element(ids[digest], "text/plain", packed(data)))
        return ids[digest]

    listed: list[dict[str, Any]] = [
        {
            "name": one.name,
            "sha256": one.digest,
            "profile": one.archive.profile.model_dump(mode="json"),
            "tokenizer": kept(one.archive.tokenizer),
            "table": None if one.archive.table is None else kept(one.archive.table),
        }
        for one in profiles
    ]
    return "\n".join([element("profiles", "application/json", harmless(listed)), *elements])


def element(name: str, kind: str, content: str) -> str:
    """A block of data: no browser runs a script of such a type."""
    return f'<script type="{kind}" id="{name}">{content}</script>'


def packed(data: bytes) -> str:
    """Base64 of gzip; equal data give equal text."""
    return b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()


def harmless(value: Any) -> str:
    """JSON in ASCII, without the letters that markup begins with: no string of it can end its element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
