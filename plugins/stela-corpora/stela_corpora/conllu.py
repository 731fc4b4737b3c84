"""Read the tags of a CoNLL-U treebank, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from stela_corpora.conllu_lines import Fields, is_word, read_blocks
from stela_corpora.corpus import file_stem
from stela_corpora.lines import LineFile

Column = Literal["upos", "xpos"]

FIELD: dict[Column, int] = {"upos": 3, "xpos": 4}

OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")
CLOSED = ("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
UNIVERSAL = frozenset((*OPEN, *CLOSED, "PUNCT", "SYM", "X"))
"""https://universaldependencies.org/u/pos/ (version 2)."""

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
    corrupt, or a line is not a line of CoNLL-U; with ``skip_bad`` its sentence is left out instead.
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
        for block in read_blocks(self.file, self._add, self.skip_bad):
            self.bad += block.bad
            yield Sentence([None] if block.bad else block.kept, block.starts_document)

    def _add(self, fields: Fields, tags: list[str | None]) -> None:
        """Add the tag of a word to those of its sentence.

        Raises:
            ValueError: saying what is wrong with it.
        """
        if not is_word(fields):
            return
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
            raise ValueError(f'has UPOS "{tag}", not one of the {len(UNIVERSAL)} universal tags')
        tags.append(tag)
