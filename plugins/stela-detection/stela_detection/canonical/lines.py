"""Quote marks of mails, superfluous spaces, spaces between characters and hard wraps undone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stela_detection.canonical.draft import Draft
from stela_detection.canonical.late_pattern import late_pattern

QUOTE = late_pattern(r"^ *>[> ]*", re.MULTILINE)
EXTRA = late_pattern(r" ++(?=\n)|(?<=\n) +|(?<= ) +")

NARROWEST, WIDEST = 40, 80
"""Longest line of a paragraph that somebody's software may have wrapped, in characters or columns."""

SLACK = 2
"""Room that a line may have left although the next piece would have fitted: entities undone, spaces gone."""

WIDE = late_pattern(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]"
)
"""Characters of two columns (East Asian Width W and F, in whole blocks)."""

UNSPACED = "\u2e80-\u3029\u3030-\u3098\u309b-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60"
IS_UNSPACED = late_pattern(f"[{UNSPACED}]")
"""Chinese and Japanese, punctuation too: lines break anywhere, and are joined without a space."""

GAP = late_pattern(f"(?<=[{UNSPACED}]) +(?=[{UNSPACED}])")
"""Spaces between two characters of Chinese or Japanese."""

TOUCHING = late_pattern(f"[{UNSPACED}](?=\n?[{UNSPACED}])")
"""Side by side, or where a line may be joined to the next."""

FEWEST_GAPS = 5
SHORTEST = 40

ITEM = late_pattern(r"(?:[-*+\u2022|]|#{1,6}|[0-9]{1,3}[.)]) ")
"""Beginning of a line that is not a continuation: an item of a list, a heading, a row."""


def without_quote_marks(draft: Draft) -> None:
    """``> `` at the beginning of lines."""
    if ">" in draft.text:
        draft.sub(QUOTE, "")


def without_extra_spaces(draft: Draft) -> None:
    """Spaces next to a line break, and all but the first of a run."""
    if any(extra in draft.text for extra in ("  ", " \n", "\n ")):
        draft.sub(EXTRA, "")


def unwrapped(draft: Draft) -> None:
    """Lines that were broken where the next piece had no room are joined."""
    if "\n" in draft.text.strip("\n"):
        draft.edit(_joints(draft.text))


def _joints(text: str) -> Iterator[tuple[int, int, str]]:
    start, begin = 0, 0
    block: list[str] = []
    for line in text.split("\n"):
        if line:
            if not block:
                begin = start
            block.append(line)
        else:
            yield from _joints_of_block(block, begin)
            block = []
        start += len(line) + 1
    yield from _joints_of_block(block, begin)


def _joints_of_block(lines: Sequence[str], begin: int) -> Iterator[tuple[int, int, str]]:
    """Joints of lines without an empty one between them; a joined line is longer than ``WIDEST``."""
    if len(lines) < 2:
        return
    lengths = [len(line) for line in lines]
    columns = [length + len(WIDE.findall(line)) for line, length in zip(lines, lengths, strict=True)]
    measures = [sizes for sizes in (lengths, columns) if NARROWEST <= max(sizes) <= WIDEST]
    if not measures:
        return
    widest = [max(sizes) for sizes in measures]
    waiting: list[tuple[int, int, str]] = []
    end, length = begin, 0
    for number, line in enumerate(lines[:-1]):
        end += lengths[number]
        length += lengths[number]
        after = lines[number + 1]
        joint = _joint(line, after)
        first = 1 if IS_UNSPACED.match(after) else len(after.partition(" ")[0])
        forced = any(
            sizes[number] + len(joint) + first + SLACK > most
            for sizes, most in zip(measures, widest, strict=True)
        )
        if forced and not ITEM.match(after):
            waiting.append((end, end + 1, joint))
            length += len(joint)
        else:
            if length > WIDEST:
                yield from waiting
            waiting, length = [], 0
        end += 1
    if length + lengths[-1] > WIDEST:
        yield from waiting


def _joint(line: str, after: str) -> str:
    if IS_UNSPACED.match(line[-1]) or IS_UNSPACED.match(after):
        return ""
    hyphen = len(line) > 1 and line[-1] == "-" and line[-2].isalpha()
    return "" if hyphen else " "


def unspread(draft: Draft) -> None:
    """Spaces between all characters."""
    text = draft.text
    if _is_spread(text):
        draft.edit((at, at + 1, "") for at in range(1, len(text.rstrip("\n")), 2))


def unparted(draft: Draft) -> None:
    """Spaces between Chinese or Japanese characters, where a quarter of these are parted.

    Chinese has spaces between names or the parts of a verse, but not between words. Korean and Vietnamese
    quote it spaced now and then: the text has to be Chinese or Japanese for the most part. That is asked of
    what other steps have shortened already, or a canonical form would have another one.
    """
    if draft.text.isascii():  # the pattern takes milliseconds to compile
        return
    gaps = sum(1 for _ in GAP.finditer(draft.text))
    if gaps < FEWEST_GAPS:
        return
    touching = sum(1 for _ in TOUCHING.finditer(draft.text))
    length = len(draft.text) - draft.text.count("\n")
    if 3 * gaps >= touching and 3 * (gaps + touching) >= length:
        draft.sub(GAP, "")


def _is_spread(text: str) -> bool:
    """Whether every second character is a space, and not half of the others, line breaks at the end apart."""
    if text[1:2] != " ":
        return False
    text = text.rstrip("\n")
    others, between = text[::2], text[1::2]
    return (
        len(text) >= SHORTEST and between.count(" ") == len(between) and 2 * others.count(" ") < len(others)
    )
