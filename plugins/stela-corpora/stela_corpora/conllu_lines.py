"""Read the lines of a CoNLL-U treebank, sentence by sentence.

The format is https://universaldependencies.org/format.html: ten columns parted by tabs, one word a line,
a blank line after each sentence. The reader is our own: errors name file and line, ``skip_bad`` leaves a
sentence out, and memory does not grow with the file; the parsers on PyPI do none of the first two. Only a
line feed ends a line: ``str.splitlines`` would also cut at what a form may hold, such as U+2028.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from stela_core import StelaError
from stela_corpora.lines import LineFile

Fields = list[str]
"""The ten columns of a line: ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC."""

Kept = TypeVar("Kept")
"""What a reader keeps of a line."""

WORD = re.compile(r"[1-9][0-9]*")
NOT_A_WORD = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")
"""Words written as one (1-2), and empty nodes (1.1)."""

NEW_DOCUMENT = re.compile(rb"#\s*newdoc\b")
NEW_PARAGRAPH = re.compile(rb"#\s*newpar\b")
LONGEST_SENTENCE = 100_000
"""Words."""


class Block(NamedTuple, Generic[Kept]):
    """What is kept of one sentence."""

    kept: list[Kept]
    starts_document: bool
    starts_paragraph: bool
    bad: bool
    """Whether it has a bad line, and was left out."""


def read_conllu(path: str | Path) -> Iterator[Block[Fields]]:
    """The sentences of a treebank as rows of ten columns, multiword ranges and empty nodes among them.

    Args:
        path: a ``.conllu`` file, plain or compressed (.gz, .xz, .zst).

    Raises:
        StelaError: the file is missing or corrupt, or a line is not a line of CoNLL-U.
    """
    return read_blocks(LineFile(path, "treebank", "give a .conllu file"), _add_all)


def is_word(fields: Fields) -> bool:
    """Whether a line is a word: neither a range nor an empty node."""
    return fields[0].isdigit()


def read_blocks(
    file: LineFile, add: Callable[[Fields, list[Kept]], None], skip_bad: bool = False
) -> Iterator[Block[Kept]]:
    """The sentences of a file, as far as they are kept; those without words are not there.

    Args:
        file: the treebank.
        add: adds what it keeps of a line to what is kept of its sentence; raises ValueError where something
            is wrong with the line, saying what.
        skip_bad: leave out sentences with a bad line.

    Raises:
        StelaError: the file is missing or corrupt, or a line is bad.
    """
    kept: list[Kept] = []
    words = 0
    document = paragraph = spoiled = False
    for number, line in enumerate(file, start=1):
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if not line.strip():
            if words or spoiled:
                yield Block([] if spoiled else kept, document, paragraph, spoiled)
                document = paragraph = False
            kept, words, spoiled = [], 0, False
            continue
        if spoiled:
            continue
        try:
            if not line.startswith(b"#"):
                fields = _fields(line, words)
                words += is_word(fields)
                add(fields, kept)
            elif words:
                raise ValueError("is a comment within a sentence: the blank line before it is missing")
            else:
                document = document or bool(NEW_DOCUMENT.match(line))
                paragraph = paragraph or bool(NEW_PARAGRAPH.match(line))
        except ValueError as error:
            if not skip_bad:
                raise StelaError(
                    f"{file.path}:{number} {error}.",
                    "check the file with UD's validate.py; --skip-bad leaves such sentences out",
                ) from None
            spoiled = True
    if words or spoiled:
        yield Block([] if spoiled else kept, document, paragraph, spoiled)


def _fields(line: bytes, words: int) -> Fields:
    """The columns of a line that comes after some words of its sentence.

    Raises:
        ValueError: saying what is wrong with the line.
    """
    try:
        fields = line.removesuffix(b"\r").decode().split("\t", 10)
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {line[error.start]:#04x} at {error.start})") from None
    if len(fields) != 10:
        number = "more than 10" if len(fields) > 10 else str(len(fields))
        raise ValueError(f"has {number} column{'s' * (number != '1')}, not 10 separated by tabs")
    number = fields[0]
    if NOT_A_WORD.fullmatch(number):
        return fields
    if not WORD.fullmatch(number) or len(number) > 9:
        raise ValueError(f'has ID "{number:.20}", which is not a number, range or decimal')
    if words >= LONGEST_SENTENCE:
        raise ValueError(f"is word {words + 1} of one sentence: the blank line before is missing")
    if int(number) != words + 1:
        missing = ": the blank line before it is missing" if number == "1" else ""
        raise ValueError(f"has ID {number} where {words + 1} is next{missing}")
    return fields


def _add_all(fields: Fields, rows: list[Fields]) -> None:
    rows.append(fields)
