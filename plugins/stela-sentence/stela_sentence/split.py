"""Sentences of a text, the same at generation and at detection.

A sentence ends

- at a run of ``. ! ? …`` with the closing quotes and brackets behind it, before white space or the end. One
  full stop after a capitalised word of up to three letters (``Dr.``, ``J.``) ends nothing;
- at a run that begins with ``。``, ``！`` or ``？``, whatever comes next (Chinese, Japanese);
- before a blank line.

So one character behind a sentence tells its end, and text that is added after that moves none. What follows
the last end is not a sentence yet.
"""

from __future__ import annotations

import re
import unicodedata

from stela_core import StelaError

MOST_CHARACTERS = 1 << 20
"""Largest number of characters of a text."""

MOST_SENTENCES = 10_000
"""Largest number of sentences of a text."""

LONGEST = 4096
"""Characters of a sentence that are read."""

_STOPS = ".!?…"
_WIDE = "。！？｡"
_CLOSERS = r"""["'”’»)\]」』）】》]*+"""
_ABBREVIATED = r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z][a-z])"

# Each run is tried at its first character only, and never given back: the time is linear in the text.
_END = re.compile(
    rf"(?<![{_STOPS}])(?:{_ABBREVIATED}|(?=[!?…]|\.[{_STOPS}]))[{_STOPS}]++{_CLOSERS}(?=\s|\Z)"
    rf"|[{_WIDE}][{_WIDE}{_STOPS}]*+{_CLOSERS}"
    r"|(?P<blank>\n[^\S\n]*+\n)"
)
_MAY_END = re.compile(rf"[{_STOPS}{_WIDE}\n]")
_WORD = re.compile(r"[^\W_]")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def clean(text: str) -> str:
    """The text in Unicode's form NFC, without characters of no width, lines ended by line feeds.

    Raises:
        StelaError: it is longer than 2^20 characters.
    """
    if len(text) > MOST_CHARACTERS:
        raise StelaError(
            f"the text has {len(text):,} characters, and {MOST_CHARACTERS:,} are the most.",
            "test parts of it",
        )
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text).replace("\r\n", "\n"))


def ends(text: str) -> list[int]:
    """Ends of the sentences of a clean text, ascending; what has no letter and no digit is not one."""
    places: list[int] = []
    start = 0
    for match in _END.finditer(text):
        end = match.start() if match["blank"] else match.end()
        if _WORD.search(text, start, end):
            places.append(end)
        elif places and not match["blank"]:
            places[-1] = end
        start = end
    return places


def sentences(text: str) -> list[str]:
    """The whole sentences of any text in order, white space inside them as single spaces.

    Of a sentence longer than 4096 characters it is the beginning.

    Raises:
        StelaError: the text is longer than 2^20 characters, or has more than 10,000 sentences.
    """
    text = clean(text)
    places = ends(text)
    if len(places) > MOST_SENTENCES:
        raise StelaError(
            f"the text has {len(places):,} sentences, and {MOST_SENTENCES:,} are the most.",
            "test parts of it",
        )
    pieces = (text[start:end] for start, end in zip([0, *places], places, strict=False))
    return [" ".join(piece.split())[:LONGEST] for piece in pieces]


def extended(text: str, more: str) -> str | None:
    """A text with the first sentence of ``more`` added, where the whole is split as its parts are.

    Args:
        text: empty, or made by this function.
        more: what may follow it.

    Returns:
        the longer text, which ends with its last sentence; ``None`` where ``more`` ends none, changes the
        sentences before, or has no letter and no digit.
    """
    if not _MAY_END.search(more):
        return None
    whole = clean(text + more)
    before, after = ends(text), ends(whole)
    if not whole.startswith(text) or after[: len(before)] != before or len(after) == len(before):
        return None
    longer = whole[: after[len(before)]]
    return longer if ends(longer) == after[: len(before) + 1] else None
