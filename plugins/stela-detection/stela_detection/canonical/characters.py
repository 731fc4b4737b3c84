"""Invisible characters out, odd spaces and line breaks plain, letters in costume plain, composed (NFC)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category, normalize

from stela_detection.canonical.draft import Draft
from stela_detection.canonical.late_pattern import late_pattern
from stela_detection.canonical.lines import UNSPACED

FILE = Path(__file__).with_name("ignorable.json")
"""Ranges, with source, version and licence; ``python -m scripts.write_ignorable`` writes it."""


def _ignorable() -> str:
    """What Unicode calls default-ignorable, code points not assigned yet included, as ranges of a pattern."""
    ranges: list[str] = json.loads(FILE.read_text(encoding="utf-8"))["ranges"]
    ends = ((chr(int(end, 16)) for end in pair.split("-")) for pair in ranges)
    return "".join(f"{first}-{last}" for first, last in ends)


IGNORABLE = _ignorable()

BREAKS = "\r\v\f\x85\u2028\u2029"
SPACES = "\t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
"""Zs, the tab, and blank braille, which looks empty."""
FILLERS = "\u3164\uffa0"
"""Hangul's, which look empty where a font has them, and are default-ignorable."""

CONTROLS = "\0-\b\x0e-\x1f\x7f-\x84\x86-\x9f"
INVISIBLE = f"{IGNORABLE}\ufff9-\ufffc"
"""What Unicode calls default-ignorable; annotations, and what stands for an object."""
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
MONGOLIAN = "\u180b-\u180d\u180f"
"""Selectors of Mongolian letters."""
EMOJI = (
    "\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u2328\u232b-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
JOINED = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ufb50-\ufdff\ufe70-\ufefe"
"""Scripts spelt with joiners: Arabic (Persian, Urdu), Indic, Tibetan, Myanmar, Khmer, Mongolian."""

ODD_BREAK = late_pattern(f"\r\n|[{BREAKS}]")
ODD_SPACE = late_pattern(f"[{SPACES}]")
FILLER = late_pattern(f"[{FILLERS}]")
PUT_IN = late_pattern(f"[{FILLERS}][ \n{FILLERS}{UNSPACED}]|[ \n{UNSPACED}][{FILLERS}]")
"""A filler where no space would stand."""
NEITHER = late_pattern(f"[^ \n{FILLERS}]")
OUT = late_pattern(
    "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"  # flags of England, Scotland, Wales: stay
    r"|\u00ad+ *\n[> ]*(?=[a-z\u00df-\u00ff])"  # a word divided at the end of a line
    rf"|(?:(?![\u200c\u200d\ufe0e\ufe0f{MONGOLIAN}])[{CONTROLS}{INVISIBLE}])+"
    rf"|(?<![{JOINED}{EMOJI}])(?<![{EMOJI}#*0-9]\ufe0f)[\u200c\u200d]+"
    rf"|(?<![{EMOJI}#*0-9])[\ufe0e\ufe0f]+|(?<![\u1820-\u18af])[{MONGOLIAN}]+"
)

COSTUME = (
    "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2128\u212c\u212d\u212f-\u2131\u2133\u2134"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
)
"""Bold, script, double-struck ... letters and digits of mathematics, and those of full width."""
UNSEEN = late_pattern(f"[{CONTROLS}{INVISIBLE}]")
IN_COSTUME = late_pattern(f"[{COSTUME}]")

UNSURE = (
    "\u0300-\u036f\u0483-\u0489\u0590-\u109f\u1160-\u1dff\u20d0-\u20ff\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f"
    "\u3099\u309a\ua66f-\ua6f1\ua800-\uabff\ufb1d-\ufb4f\ufe20-\ufe2f"
    "\U00010000-\U0001d3ff\U0001d800-\U0001efff"
)
"""Ranges that hold all that may compose with, or be sorted behind, a character before it (Unicode 14)."""
SINGLE = (
    "\u0374\u037e\u0387\u1f00-\u1fff\u2000\u2001\u2126\u212a\u212b\u2329\u232a\u2adc"
    "\uf900-\ufad9\U0002f800-\U0002fa1d"
)
"""Ranges that hold all others that NFC changes."""
UNCOMPOSED = late_pattern(f"[{UNSURE}{SINGLE}]")
PIECE = late_pattern(f"[^{UNSURE}]?[{UNSURE}]+|[{SINGLE}]")
"""NFC of a text is the NFC of these and all else as it is: each begins where nothing composes backwards."""
LONG_RUN = late_pattern(f"[{UNSURE}]{{31,}}")

MOST_MARKS = 30
"""Most combining marks in a run (stream-safe format, UAX 15). Sorting a longer run takes quadratic time."""


def plain_spaces(draft: Draft) -> None:
    """Every line break is a line feed, every space a space.

    Hangul's fillers are spaces, unless one of them is next to a space, another of them, a line break or
    Chinese, or they are more than half of all other characters: then they were put in, and are taken out.
    """
    if draft.holds(ODD_BREAK):
        draft.sub(ODD_BREAK, "\n")
    if draft.holds(ODD_SPACE):
        draft.sub(ODD_SPACE, " ")
    if draft.holds(FILLER):
        fillers, others = (len(pattern.findall(draft.text)) for pattern in (FILLER, NEITHER))
        draft.sub(FILLER, "" if 2 * fillers > others or PUT_IN.search(draft.text) else " ")


def without_invisible(draft: Draft) -> None:
    """What no reader sees is taken out: soft hyphens, zero widths, directions, tags, controls, selectors.

    Joiners are kept behind an emoji and in scripts spelt with them, U+FE0E and U+FE0F behind an emoji
    or the base of a keycap, Mongolian selectors behind Mongolian letters.
    """
    if draft.holds(UNSEEN):
        draft.sub(OUT, lambda match: match[0] if match[0][0] == "\U0001f3f4" else "")


def plain_letters(draft: Draft) -> None:
    """Letters and digits in costume are plain ones (their NFKC), one character each."""
    if not draft.text.isascii() and draft.holds(IN_COSTUME):
        draft.sub(IN_COSTUME, lambda match: normalize("NFKC", match[0]))


def composed(draft: Draft) -> None:
    """NFC; of a run of more than :data:`MOST_MARKS` marks (category M) the rest is taken out."""
    if not draft.text.isascii() and draft.holds(UNCOMPOSED):
        draft.edit(_marks_too_many(draft.text))
        draft.sub(PIECE, lambda match: normalize("NFC", match[0]))
        draft.edit(_marks_too_many(draft.text))  # one character may be two marks in NFC


def _marks_too_many(text: str) -> Iterator[tuple[int, int, str]]:
    for run in LONG_RUN.finditer(text):
        start = begin = run.start()
        for at, character in enumerate(run[0], start=begin):
            if category(character)[0] != "M":
                if at - start > MOST_MARKS:
                    yield start + MOST_MARKS, at, ""
                start = at + 1
        if run.end() - start > MOST_MARKS:
            yield start + MOST_MARKS, run.end(), ""
