"""Read a CoNLL-U treebank as raw text with tags, in the treebank's own spacing, to train a tagger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from stela_corpora.conllu_lines import read_conllu

Column = Literal["upos", "xpos", "both"]
COLUMNS: dict[Column, slice] = {"upos": slice(3, 4), "xpos": slice(4, 5), "both": slice(3, 5)}


@dataclass(frozen=True)
class Piece:
    """Words with tags and the white space after each; white space beyond one blank is a word, tag ""."""

    words: list[str]
    tags: list[str]
    spaces: list[bool]

    @property
    def text(self) -> str:
        """The raw text."""
        return "".join(w + " " * s for w, s in zip(self.words, self.spaces, strict=True))

    def cut(self, size: int) -> Piece:
        """The first ``size`` words, with no white space at the end."""
        spaces = [*self.spaces[: size - 1], False]
        return Piece(self.words[:size], self.tags[:size], spaces)


@dataclass(frozen=True)
class Sentence(Piece):
    """A sentence, and whether a new paragraph starts with it."""

    starts_paragraph: bool


def read_documents(path: Path, column: Column) -> list[list[Sentence]]:
    """The documents of a ``.conllu`` file, plain or compressed, each a list of sentences.

    With ``both``, a tag is ``UPOS XPOS``, parted by a blank.
    """
    documents: list[list[Sentence]] = []
    for block in read_conllu(path):
        if not documents or block.starts_document:
            documents.append([])
        documents[-1].append(_sentence(block.kept, COLUMNS[column], block.starts_paragraph))
    return documents


def _sentence(rows: list[list[str]], column: slice, starts_paragraph: bool) -> Sentence:
    """Rows of 10 columns to a sentence: "don't" is a range (1-2) that words 1 and 2 make up."""
    words: list[str] = []
    tags: list[str] = []
    spaces: list[bool] = []
    range_end, range_space = 0, True
    for row in rows:
        number, word, tag, space = row[0], row[1], " ".join(row[column]), "SpaceAfter=No" not in row[9]
        if "-" in number:
            range_end, range_space = int(number.split("-")[1]), space
        elif "." not in number:
            words.append(word)
            tags.append(tag)
            position = int(number)
            spaces.append(False if position < range_end else range_space if position == range_end else space)
    return Sentence(words, tags, spaces, starts_paragraph)


def join(sentences: list[Sentence]) -> Piece:
    """Sentences that follow each other; a line break stands before a new paragraph."""
    words: list[str] = []
    tags: list[str] = []
    spaces: list[bool] = []
    for sentence in sentences:
        if words and sentence.starts_paragraph:
            spaces[-1] = False
            words.append("\n")
            tags.append("")
            spaces.append(False)
        words += sentence.words
        tags += sentence.tags
        spaces += sentence.spaces
    spaces[-1] = False
    return Piece(words, tags, spaces)


def pieces_to_train_on(documents: list[list[Sentence]], chance: Random, cut_share: float) -> Iterator[Piece]:
    """Runs of 1-3 sentences; a share of them ends early, as the text before a token does."""
    for document in documents:
        start = 0
        while start < len(document):
            size = chance.choice((1, 1, 2, 3))
            piece = join(document[start : start + size])
            if chance.random() < cut_share:
                piece = piece.cut(chance.randint(1, len(piece.words)))
            yield piece
            start += size
