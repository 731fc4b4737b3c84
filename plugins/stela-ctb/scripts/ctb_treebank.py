"""Read a CoNLL-U treebank of Chinese as raw text, words and Penn Chinese Treebank tags."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from ctb_tags import Word, to_ctb
from stela_corpora.conllu_lines import read_conllu


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
        """Start and end of each word in the text."""
        spans, start = [], 0
        for word, space in zip(self.words, self.spaces, strict=True):
            spans.append((start, start + len(word)))
            start += len(word) + space
        return spans


def read_sentences(path: Path) -> list[Sentence]:
    """The sentences of a ``.conllu`` file, plain or compressed, with tags mapped to CTB."""
    return [_sentence(block.kept) for block in read_conllu(path)]


def _sentence(rows: list[list[str]]) -> Sentence:
    rows = [row for row in rows if row[0].isdigit()]
    words = [Word(row[1], row[3], row[4], int(row[6]), row[7], row[5]) for row in rows]
    spaces = ["SpaceAfter=No" not in row[9] for row in rows]
    spaces[-1] = False
    # A word of two parts ("New York") would be a word across white space.
    forms = [word.form.replace(" ", "") for word in words]
    return Sentence(forms, to_ctb(words), spaces)
