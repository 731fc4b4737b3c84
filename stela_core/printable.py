"""Words of strangers on the way to a terminal: nothing in them may move its cursor or change its state."""

from __future__ import annotations

import unicodedata

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
KEPT = "\n\t\u200c\u200d"


def printable(text: str) -> str:
    r"""The text with control and format characters written as escapes (``\x1b``); line feed and tab are kept.

    Covers C0 and C1 controls, bidirectional overrides and isolates, zero-width characters, line
    separators and lone surrogates: unicode categories Cc, Cf, Cs, Zl and Zp. ZWJ and ZWNJ are kept, since
    scripts and emoji need them.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def one_line(text: object) -> str:
    r"""Someone else's word in a line of ours: :func:`printable`, without line feeds and tabs."""
    return printable(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def _shown(character: str) -> str:
    if character in KEPT or unicodedata.category(character) not in UNSEEN:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
