"""Read the tags of a CoNLL-U treebank, sentence by sentence.

The format is https://universaldependencies.org/format.html: ten columns parted by tabs, one word a line,
a blank line after each sentence. The reader is our own, of one column: errors name file and line,
``skip_bad`` leaves a sentence out, and memory does not grow with the file; the parsers on PyPI do none of
the first two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from stela_core.corpora.corpus import file_stem
from stela_core.corpora.lines import LineFile
from stela_core.errors import StelaError

Column = Literal["upos", "xpos"]

FIELD: dict[Column, int] = {"upos": 3, "xpos": 4}

OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")
CLOSED = ("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
UNIVERSAL = frozenset((*OPEN, *CLOSED, "PUNCT", "SYM", "X"))
"""https://universaldependencies.org/u/pos/ (version 2)."""

WORD = re.compile(r"[1-9][0-9]*")
NOT_A_WORD = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")
"""Words written as one (1-2), and empty nodes (1.1)."""

NEW_DOCUMENT = re.compile(rb"#\s*newdoc\b")
LONGEST_SENTENCE = 100_000
"""Words."""
LONGEST_TAG = 1000
"""Characters."""
LANGUAGE = re.compile(r"[a-z]{2,3}")
PART = re.compile(r"-ud-(train|dev|test)\b.*")


class Sentence(NamedTuple):
    """The tags of one sentence; ``None`` is a word without a tag, or a sentence left out."""

    tags: list[str | None]
    starts_document: bool


class ConlluFile:
    """The sentences of one file, plain or compressed.

    Multiword ranges and empty nodes are left out. Iterating raises StelaError where the file is missing or
    corrupt, or a line is no line of CoNLL-U; with ``skip_bad`` its sentence is left out instead.
    """

    def __init__(self, path: str | Path, column: Column = "upos", skip_bad: bool = False) -> None:
        self.file = LineFile(path, "treebank", "give a .conllu file")
        self.column: Column = column
        self.skip_bad = skip_bad
        self.bad = 0
        """Sentences left out so far."""
        self.untagged = 0
        """Words so far whose tag is ``_``."""

    @property
    def name(self) -> str:
        """The file name without endings; ``en_ewt`` for ``en_ewt-ud-train.conllu`` as for the other parts."""
        return PART.sub("", file_stem(self.file.path))

    @property
    def has_parts(self) -> bool:
        """Whether the file is named as a part of a UD treebank: train, dev or test."""
        return self.name != file_stem(self.file.path)

    @property
    def language(self) -> str:
        """ISO 639 code, as the name of a UD treebank's part tells it, else nothing."""
        code = self.name.partition("_")[0]
        return code if self.has_parts and LANGUAGE.fullmatch(code) else ""

    def __iter__(self) -> Iterator[Sentence]:
        tags: list[str | None] = []
        new = spoiled = False
        for number, line in enumerate(self.file, start=1):
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not line.strip():
                if tags:
                    yield Sentence(tags, new)
                    tags, new = [], False
                spoiled = False
                continue
            if spoiled:
                continue
            try:
                if not line.startswith(b"#"):
                    self._add(line, tags)
                elif tags:
                    raise ValueError("is a comment within a sentence: the blank line before it is missing")
                elif NEW_DOCUMENT.match(line):
                    new = True
            except ValueError as error:
                if not self.skip_bad:
                    raise StelaError(
                        f"{self.file.path}:{number} {error}.",
                        "check the file with UD's validate.py; --skip-bad leaves such sentences out",
                    ) from None
                self.bad += 1
                tags, spoiled = [None], True
        if tags:
            yield Sentence(tags, new)

    def _add(self, line: bytes, tags: list[str | None]) -> None:
        """Add the tag of one line to those of its sentence.

        Raises:
            ValueError: saying what is wrong with the line.
        """
        try:
            fields = line.removesuffix(b"\r").decode().split("\t", 10)
        except UnicodeDecodeError as error:
            raise ValueError(f"is not UTF-8 (byte {line[error.start]:#04x} at {error.start})") from None
        if len(fields) != 10:
            number = "more than 10" if len(fields) > 10 else str(len(fields))
            raise ValueError(f"has {number} column{'s' * (number != '1')}, not 10 parted by tabs")
        number = fields[0]
        if NOT_A_WORD.fullmatch(number):
            return
        if not WORD.fullmatch(number) or len(number) > 9:
            raise ValueError(f'has ID "{number:.20}", which is no number, range or decimal')
        if len(tags) >= LONGEST_SENTENCE:
            raise ValueError(f"is word {len(tags) + 1} of one sentence: the blank line before is missing")
        if int(number) != len(tags) + 1:
            missing = ": the blank line before it is missing" if number == "1" else ""
            raise ValueError(f"has ID {number} where {len(tags) + 1} is next{missing}")
        tag = fields[FIELD[self.column]]
        if tag == "_":
            tags.append(None)
            self.untagged += 1
            return
        if len(tag) > LONGEST_TAG:
            raise ValueError(f'has {self.column.upper()} "{tag:.20}...", which is too long for a tag')
        if not tag.strip():
            raise ValueError(f"has an empty {self.column.upper()}")
        if self.column == "upos" and tag not in UNIVERSAL:
            raise ValueError(f'has UPOS "{tag}", which is none of the {len(UNIVERSAL)} universal tags')
        tags.append(tag)
