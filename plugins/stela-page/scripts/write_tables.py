"""Write ``web/detector/tables``: what Python and the tokenizers' library know of characters, and names.

    python plugins/stela-page/scripts/write_tables.py

Run it with the pinned versions of Python and tokenizers. Browsers differ in their version of Unicode; a
page asks these tables, never the browser, for what a character is.
"""

from __future__ import annotations

import base64
import json
import lzma
import sys
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from html.entities import name2codepoint
from itertools import groupby, product
from pathlib import Path

from stela_page.reproducible import LANGUAGES
from tokenizers import Regex, normalizers, pre_tokenizers

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "plugins" / "stela-page" / "web" / "detector" / "tables"
CANONICAL = ROOT / "plugins" / "stela-detection" / "stela_detection" / "canonical"
KNOWN = ROOT / "stela_core" / "profile" / "known_tokenizers.json"
TABLES = ROOT / "plugins" / "stela-learned" / "stela_learned" / "tables"
OF_TAGS = (
    *(f"stela-{one}/stela_{one}/causal/tables" for one in ("penn", "ctb", "sejong")),
    *(f"stela-{one}/stela_{one}/tables" for one in LANGUAGES),
)
"""Folders of the tables by tags, of taggers that a page may hold."""
BY_TEXT = ("text", "gumbel", "synthid", "surprisal")
"""Kinds of tables that are looked up by text."""
POINTS = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
CLASSES = ("N", "M", "Lu", "Lt", "Lm", "Lo", "Ll")
"""General categories that patterns of pre-tokenizers name; L is all that begin with it."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def matched(pattern: str) -> set[int]:
    """Characters that a pattern of one character matches in the library's regular expressions."""
    split = pre_tokenizers.Split(Regex(pattern), "removed")
    inside: set[int] = set()
    for start in range(0, len(POINTS), 4096):
        block = POINTS[start : start + 4096]
        kept: set[int] = set()
        for _, (begin, end) in split.pre_tokenize_str("".join(map(chr, block))):
            kept.update(range(begin, end))
        inside.update(c for n, c in enumerate(block) if n not in kept)
    return inside


def numeric() -> set[int]:
    """Characters that ``Digits`` takes for digits: by Rust's own tables."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    inside: set[int] = set()
    for start in range(0, len(POINTS), 2048):
        block = POINTS[start : start + 2048]
        for _, (begin, end) in digits.pre_tokenize_str("".join("a" + chr(c) for c in block)):
            if end - begin == 1 and begin % 2:
                inside.add(block[begin // 2])
    return inside


def of_category(start: str) -> set[int]:
    """Characters of Python's unicodedata whose category begins so."""
    return {c for c in POINTS if unicodedata.category(chr(c)).startswith(start)}


def inert_in_library(unassigned: set[int]) -> set[int]:
    """Characters that the library's NFC, of an older Unicode, leaves as they are, and newer ones move."""
    nfc = normalizers.NFC()
    inert = set(unassigned)
    for c in POINTS:
        texts = (
            "".join(p)
            for p in product("a", (chr(c), chr(c) + "\u0301", "\u0334" + chr(c), chr(c) + "\u0334"))
        )
        if c > 0x2FF and any(nfc.normalize_str(t) != unicodedata.normalize("NFC", t) for t in texts):
            inert.add(c)
        parts = unicodedata.normalize("NFD", chr(c))
        whole = unicodedata.normalize("NFC", parts)
        if nfc.normalize_str(parts) != whole:
            inert.update(map(ord, parts + whole))
    return inert


def ranges(points: Iterable[int]) -> str:
    """Ranges, each as the gap before it and its length less one, in base 36, joined by commas.

    Equal ones in a row stand once, with ``*`` and their number: letters of alternating case are many.
    """
    written, last, start, before = [], None, None, 0
    for c in [*sorted(points), None]:
        if last is not None and c != last + 1:
            assert start is not None
            written.append(
                f"{base36(start - before)}.{base36(last - start)}" if last > start else base36(start - before)
            )
            before, start = last, None
        if start is None:
            start = c
        last = c
    runs = ((one, len([*equal])) for one, equal in groupby(written))
    return ",".join(f"{one}*{base36(count)}" if count > 3 else ",".join([one] * count) for one, count in runs)


def base36(number: int) -> str:
    """Text that ``parseInt(text, 36)`` reads as the number."""
    text = ""
    while number or not text:
        number, rest = divmod(number, 36)
        text = DIGITS[rest] + text
    return text


def constant(name: str, value: object, comment: str) -> str:
    """A line of TypeScript and its comment."""
    return f"/** {comment} */\nexport const {name} = {json.dumps(value, ensure_ascii=True)};\n"


def files() -> dict[str, str]:
    """The text of each file by its name."""
    head = "// Written by scripts/write_tables.py: do not edit.\n\n"
    unassigned = of_category("Cn")
    known = sorted(one["digest"] for one in json.loads(KNOWN.read_text(encoding="utf-8")))
    characters = [
        constant(
            f"OF_{name}", ranges(matched(rf"\p{{{name}}}")), f"\\p{{{name}}} of the tokenizers' library."
        )
        for name in CLASSES
    ]
    characters += [
        constant("OF_SPACE", ranges(matched(r"\s")), "\\s of the tokenizers' library."),
        constant("OF_DIGITS", ranges(numeric()), "What the pre-tokenizer Digits takes for digits."),
        constant(
            "LIBRARY_INERT",
            ranges(inert_in_library(unassigned)),
            "What NFC in the tokenizers' library leaves alone.",
        ),
        constant(
            "PYTHON_INERT",
            ranges(unassigned),
            f"Not assigned in Unicode {unicodedata.unidata_version}, Python's.",
        ),
        constant("PYTHON_MARKS", ranges(of_category("M")), "Category M there."),
        constant("PYTHON_LETTERS", ranges(of_category("L")), "Category L there: what isalpha says."),
    ]
    paths = [path for kind in BY_TEXT for path in TABLES.glob(f"{kind}-*.json.xz")]
    tables = {sha256(lzma.decompress(path.read_bytes())).hexdigest() for path in paths}
    counts = (path for folder in OF_TAGS for path in (ROOT / "plugins" / folder).rglob("k[0-9].json"))
    tables |= {sha256(path.read_bytes()).hexdigest() for path in counts}
    letters = json.loads((CANONICAL / "lookalikes.json").read_text(encoding="utf-8"))["letters"]
    unseen = json.loads((CANONICAL / "ignorable.json").read_text(encoding="utf-8"))["ranges"]
    ends = ([int(end, 16) for end in one.split("-")] for one in unseen)
    points = {point for first, last in ends for point in range(first, last + 1)}
    return {
        "characters.ts": head + "\n".join(characters),
        "entities.ts": head
        + constant("ENTITIES", {**name2codepoint, "apos": 0x27}, "Entities of HTML 4, and apos."),
        "ignorable.ts": head
        + constant("IGNORABLE", ranges(points), "Default_Ignorable_Code_Point of Unicode."),
        "lookalikes.ts": head
        + constant("LOOKALIKES", letters, "Letters that stand in for Latin ones (UTS 39)."),
        "shipped.ts": head
        + constant(
            "SHIPPED_TABLES",
            " ".join(base64.b64encode(bytes.fromhex(digest[:24])).decode() for digest in sorted(tables)),
            "Tables that plugins of STELA ship: 96 bits of the SHA-256 of each, in base64.",
        )
        + constant(
            "KNOWN_TOKENIZERS",
            " ".join(digest[:32] for digest in known),
            "Published ones: 128 bits of each digest (tokenizer/digest.ts).",
        ),
    }


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
