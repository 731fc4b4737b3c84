"""The encoding that a text which is not UTF-8 seems to have, and the command that converts its file."""

from __future__ import annotations

import codecs
import re
import shlex
from pathlib import Path

# As Python calls them, and as iconv does.
GUESSED = {
    "gb18030": "GB18030",
    "cp949": "CP949",
    "cp1252": "CP1252",
    "big5": "BIG5",
    "shift_jis": "CP932",
    "euc_jp": "EUC-JP",
    "cp1251": "CP1251",
    "koi8_r": "KOI8-R",
    "cp1253": "CP1253",
    "cp1254": "CP1254",
    "cp1256": "CP1256",
    "utf_16_le": "UTF-16LE",
    "utf_16_be": "UTF-16BE",
    "utf_32_le": "UTF-32LE",
    "utf_32_be": "UTF-32BE",
}
KANA = re.compile(r"[\u3041-\u30ff]")
BEGINNING = 1 << 16
"""Bytes by which an encoding is guessed."""


def hint_to_convert(data: bytes, path: str, beginning: bytes) -> str | None:
    """A command that makes UTF-8 of a file, where its encoding can be guessed.

    Args:
        data: that could not be read of it.
        path: of the file; ``-`` is standard input.
        beginning: its first bytes.

    Returns:
        ``None`` where the encoding is not known.
    """
    encoding = guessed(beginning) or guessed(data)
    if encoding is None:
        return None
    convert = f"iconv -f {GUESSED[encoding]} -t UTF-8"
    if path == "-":
        return f"if it is {GUESSED[encoding]}, pipe it through: {convert}"
    file = Path(path)
    if file.suffix == ".gz":
        target = file.with_suffix("")
        convert = f"gunzip -c {_word(path)} | {convert}"
    else:
        target, convert = file, f"{convert} {_word(path)}"
    target = target.with_name(f"{target.stem}.utf-8{target.suffix}")
    return f"if it is {GUESSED[encoding]}, convert it and test the copy: {convert} > {_word(str(target))}"


def _word(path: str) -> str:
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def guessed(data: bytes) -> str | None:
    """The encoding that a text seems to have, as Python calls it; ``None``: UTF-8, or it is not known."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        pass
    else:
        return _of_zeros(data)
    if data.startswith(b"\x1f\x8b"):  # compressed
        return None
    zeros = _of_zeros(data)
    if zeros is not None:
        return zeros
    from charset_normalizer import from_bytes

    matches = from_bytes(data[:BEGINNING], cp_isolation=list(GUESSED)[:-2])
    best = matches.best()
    # Of Japanese, other encodings make words that look as likely.
    japanese = [one for one in matches if len(KANA.findall(str(one))) > len(str(one)) / 10]
    match = japanese[0] if japanese else best
    return match.encoding if match is not None and match.encoding in GUESSED else None


def _of_zeros(data: bytes) -> str | None:
    """UTF-16 or UTF-32 of Latin letters, by where its zeros are; ``None`` where there are few."""
    zeros = data.count(0)
    if zeros < len(data) / 5:
        return None
    little = data[1::2].count(0) >= data[::2].count(0)
    width = 32 if zeros > len(data) * 0.6 else 16
    if width == 32:
        little = data[3::4].count(0) >= data[::4].count(0)
    encoding = f"utf_{width}_{'le' if little else 'be'}"
    text = data[: len(data) // 4 * 4].decode(encoding, "replace")
    printable = sum(character.isprintable() or character.isspace() for character in text)
    return encoding if text and printable > 0.95 * len(text) else None
