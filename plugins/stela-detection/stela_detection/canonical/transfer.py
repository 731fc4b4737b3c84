"""Undo what transfer makes of bytes: percent-encoding, quoted-printable, UTF-8 that was read as Latin-1.

Each is undone only in a text that shows it throughout: one address with ``%20`` in it, or one broken
character, says nothing about the rest. Each character is a separate edit, so that places lead back.
"""

from __future__ import annotations

from collections.abc import Iterator

from stela_detection.canonical.draft import Draft
from stela_detection.canonical.escapes import character
from stela_detection.canonical.late_pattern import late_pattern

HEX = "[0-9a-fA-F]"


def _utf8(mark: str) -> str:
    """The pattern of one character of UTF-8, each byte a mark and two hexadecimal digits."""
    more = f"{mark}[89abAB]{HEX}"
    two, three, four = f"(?:[cC][2-9a-fA-F]|[dD]{HEX})", f"[eE]{HEX}", "[fF][0-4]"
    return f"{mark}(?:[0-7]{HEX}|{two}{more}|{three}(?:{more}){{2}}|{four}(?:{more}){{3}})"


RUN = late_pattern("[!-~]+")
"""What stands between spaces, line breaks and characters that no address holds."""
BARE_PERCENT = late_pattern(f"%(?!{HEX}{{2}})")
PERCENT = late_pattern(rf"{_utf8('%')}|\+")
FEWEST_ESCAPES = 8

SOFT_BREAK = late_pattern("=[ \t]*(?:\r\n|[\r\n]|\\Z)")
"""Line break of quoted-printable, at the end of a line or of the text, which the text did not have."""
BARE_EQUALS = late_pattern(f"=(?!{HEX}{{2}}|[ \t]*(?:[\r\n]|\\Z))")
QUOTED = late_pattern(_utf8("="))
TELLING = late_pattern(f"=[ \t]*[\r\n]|=[c-fC-F]{HEX}=")
"""What hardly stands in another text: a soft break, the beginning of a character of several bytes."""
FEWEST_TELLING = 2

WINDOWS = (
    "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f"
    "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178"
)
"""Bytes 80 to 9F of windows-1252; a byte without a character is a control character, or U+FFFD."""
_MORE = f"[\x80-\xbf{WINDOWS}\ufffd]"
BROKEN = late_pattern(f"[\xc2-\xdf]{_MORE}|[\xe0-\xef]{_MORE}{{2}}|[\xf0-\xf4]{_MORE}{{3}}")
BEGINS_BROKEN = late_pattern("[\xc2-\xf4]")
NOT_ASCII = late_pattern("[^\0-\x7f]")
FEWEST_BROKEN = 3


def undo_percent(draft: Draft) -> None:
    """``%20`` and the like, where runs full of them make up half of the text."""
    text = draft.text
    if "%" in text:
        runs = [run for run in RUN.finditer(text) if _is_encoded(run[0])]
        if 2 * sum(len(run[0]) for run in runs) >= len(text):
            draft.edit(edit for run in runs for edit in _percent_edits(text, *run.span()))


def _is_encoded(run: str) -> bool:
    """Whether a run has eight escapes or more and no other percent sign; a plus for a space counts."""
    escapes = run.count("%")
    if escapes and _plus_is_space(run):
        escapes += run.count("+")
    return escapes >= FEWEST_ESCAPES and BARE_PERCENT.search(run) is None


def _plus_is_space(run: str) -> bool:
    return "%20" not in run


def _percent_edits(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    space = " " if _plus_is_space(text[start:end]) else "+"
    for match in PERCENT.finditer(text, start, end):
        yield (*match.span(), space if match[0] == "+" else _of_hex(match[0]))


def undo_quoted_printable(draft: Draft) -> None:
    """Soft line breaks and ``=C3=A9``, in a text of ASCII in which every equals sign is one of these."""
    text = draft.text
    if "=" not in text or not text.isascii() or BARE_EQUALS.search(text) is not None:
        return
    if len(TELLING.findall(text)) >= FEWEST_TELLING:
        draft.sub(SOFT_BREAK, "")
        draft.sub(QUOTED, lambda match: _of_hex(match[0]))


def undo_misread(draft: Draft) -> None:
    """UTF-8 that was read as Latin-1 or windows-1252, where that explains what is not ASCII in the text."""
    if not draft.holds(BEGINS_BROKEN):
        return
    broken = [match[0] for match in BROKEN.finditer(draft.text)]
    others = len(NOT_ASCII.findall(draft.text))
    if len(broken) >= FEWEST_BROKEN and 4 * sum(map(len, broken)) >= 3 * others:
        draft.sub(BROKEN, lambda match: _of_misread(match[0]))


def _of_misread(characters: str) -> str:
    if "\ufffd" in characters:  # a byte is lost, and so is the character
        return "\ufffd"
    data = bytes(ord(c) if ord(c) < 0x100 else 0x80 + WINDOWS.index(c) for c in characters)
    return _of_utf8(data) or characters


def _of_hex(escape: str) -> str:
    return _of_utf8(bytes.fromhex(escape.replace(escape[0], ""))) or escape


def _of_utf8(data: bytes) -> str:
    """The character; nothing for another number, or a control character."""
    text = data.decode("utf-8", "ignore")
    return character(ord(text)) if len(text) == 1 else ""
