"""The text of a PDF document. Run by ``child.py``: pypdf."""

from __future__ import annotations

import io
import re

PAGES = 3_000
CHARACTERS = 1 << 24

WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]"
"""Scripts written without spaces."""

LIGATURES = str.maketrans(
    {chr(0xFB00 + n): letters for n, letters in enumerate(["ff", "fi", "fl", "ffi", "ffl", "st", "st"])}
)
"""What fonts draw as one, and writers as several."""

HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[a-z\u00df-\u00ff])")
BETWEEN_WIDE = re.compile(rf"(?<={WIDE}) ?\n ?(?={WIDE})")
LINE = re.compile(r"(?<!\n)\n(?!\n)")


def text_of(data: bytes) -> str:
    """The text of all pages, its lines joined: where they break, the writer put a space or nothing.

    Raises:
        ValueError: it is encrypted, holds no text, or more pages than it may.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("it is encrypted")
    if len(reader.pages) > PAGES:
        raise ValueError(f"it has more than {PAGES:,} pages")
    pages: list[str] = []
    size = 0
    for page in reader.pages:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > CHARACTERS:
            raise ValueError("it holds more than 16 million characters")
    text = joined("\n".join(pages))
    if not text:
        raise ValueError("it holds no text; perhaps its pages are pictures")
    return text


def joined(text: str) -> str:
    """Single line feeds to spaces, none between letters of scripts without spaces; broken words mended."""
    text = "\n".join(line.strip() for line in text.translate(LIGATURES).splitlines()).strip()
    text = HYPHEN.sub("", text)
    text = BETWEEN_WIDE.sub("", text)
    return LINE.sub(" ", text)
