"""Kinds of files that texts are read from, by the ends of their names and by their first bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, get_args

Kind = Literal["text", "jsonl", "json", "csv", "html", "docx", "pdf", "sse"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SUFFIXES: dict[str, Kind] = {
    ".txt": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
    ".pdf": "pdf",
    ".sse": "sse",
}
COMPRESSED = ".jsonl.gz"
READABLE = f"{', '.join(SUFFIXES)}, {COMPRESSED}"
"""For hints."""

CALLED: dict[Kind, str] = {
    "text": "plain text",
    "jsonl": "JSON lines",
    "json": "JSON",
    "csv": "CSV",
    "html": "HTML",
    "docx": "a .docx document",
    "pdf": "a PDF document",
    "sse": "a stream of events",
}

OTHERS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "compressed (gzip)"),
    (b"\xfd7zXZ\x00", "compressed (xz)"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)"),
    (b"BZh", "compressed (bzip2)"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
)
"""First bytes of what is no text."""


class Text(NamedTuple):
    """A text and where it came from.

    ``FILE``, ``FILE:LINE``, or ``FILE[N]`` of a JSON array; of a server's answer the choice, too, such as
    ``FILE:LINE (CUSTOM_ID) choices[0]``.
    """

    source: str
    text: str


def kind_of_name(path: str) -> Kind | None:
    """The kind that the end of a name says, or ``None``: it has no ending, or one not known."""
    name = Path(path).name.lower()
    return "jsonl" if name.endswith(COMPRESSED) else SUFFIXES.get(Path(name).suffix)


def other_kind(head: bytes) -> str | None:
    """What the first bytes say it is, where that is no text."""
    return next((called for magic, called in OTHERS if head.startswith(magic)), None)
