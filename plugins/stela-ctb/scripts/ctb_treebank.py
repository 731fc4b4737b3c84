"""Read a CoNLL-U treebank of Chinese as raw text, words and Penn Chinese Treebank tags."""

from __future__ import annotations

import lzma
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from ctb_tags import Word, to_ctb


@dataclass(frozen=True)
class Sentence:
    """Words with tags; ``spaces`` says after which words the text has a blank."""

    words: list[str]
    tags: list[str]
    spaces: list[bool]

    @property
    def text(self) -> str:
        """The raw text."""
        return "".join(w + " " * s for w, s in zip(self.words, self.spaces, strict=True))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each word stands in the text."""
        found, start = [], 0
        for word, space in zip(self.words, self.spaces, strict=True):
            found.append((start, start + len(word)))
            start += len(word) + space
        return found


def read_sentences(path: Path) -> list[Sentence]:
    """The sentences of a ``.conllu`` or ``.conllu.xz`` file, with tags mapped to CTB."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        blocks = file.read().split("\n\n")
    rows = [
        [line.split("\t") for line in block.splitlines() if line[:1] not in ("", "#")] for block in blocks
    ]
    return [_sentence(block) for block in rows if block]


def _sentence(rows: list[list[str]]) -> Sentence:
    rows = [row for row in rows if row[0].isdigit()]
    words = [Word(row[1], row[3], row[4], int(row[6]), row[7], row[5]) for row in rows]
    spaces = ["SpaceAfter=No" not in row[9] for row in rows]
    spaces[-1] = False
    # A word of two parts ("New York") would be a word across white space.
    forms = [word.form.replace(" ", "") for word in words]
    return Sentence(forms, to_ctb(words), spaces)
