"""Sentences of a UD treebank as text, with the place and the tags of each word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stela_corpora.conllu import UNIVERSAL
from stela_corpora.conllu_lines import Fields, is_word, read_blocks
from stela_corpora.lines import LineFile

from stela_core import StelaError
from stela_core.api import short_hash

HELD_OUT = 10
"""One sentence in this many is for testing where no test file is given."""
FEWEST = 20
"""Sentences that training needs, and words that a test needs."""
LONGEST = 10_000
"""Characters of a word: no language has one, and a damaged file does."""
PART = re.compile(r"\S+")


class Word(NamedTuple):
    """A word as it is written, at ``text[start:end]``."""

    start: int
    end: int
    label: str
    """Its tag; of words written as one (``du``, ``im``) their tags joined by ``+``; empty if not tagged."""


class Sentence(NamedTuple):
    """A sentence of a treebank."""

    text: str
    words: tuple[Word, ...]
    spaced: bool
    """Whether white space comes after it."""


def read_sentences(paths: Iterable[str | Path], skip_bad: bool = False) -> tuple[list[Sentence], int]:
    """The sentences of CoNLL-U files, plain or compressed, and how many bad ones were left out.

    The text is that of FORM and ``SpaceAfter=No``. Parts of a word that are parted by white space are
    separate words with its tag, as no tag of a tagger spans white space.

    Raises:
        StelaError: a file is missing or corrupt, or a line is bad: named by file and line.
    """
    sentences: list[Sentence] = []
    bad = 0
    for path in paths:
        for block in read_blocks(LineFile(path, "treebank", "give a .conllu file"), _add, skip_bad):
            bad += block.bad
            if not block.bad:
                sentences.append(sentence_of(block.kept))
    return sentences, bad


def sentence_of(rows: Sequence[Fields]) -> Sentence:
    """The text of a sentence's lines, and its words."""
    text, spaced = "", False
    words: list[Word] = []
    for form, label, after in _written(rows):
        text += " " if spaced else ""
        words += [Word(len(text) + m.start(), len(text) + m.end(), label) for m in PART.finditer(form)]
        text += form
        spaced = after
    return Sentence(text, tuple(words), spaced)


def _written(rows: Sequence[Fields]) -> Iterator[tuple[str, str, bool]]:
    """What is written between two spaces or none: form, label, and whether a space comes after it."""
    tags = {int(row[0]): row[3] for row in rows if is_word(row)}
    covered = 0
    for row in rows:
        number, dash, last = row[0].partition("-")
        if "." in number or (not dash and int(number) <= covered):
            continue
        of_word = [tags.get(at, "_") for at in range(int(number), int(last or number) + 1)][:4]
        covered = int(last or number)
        yield row[1], "" if "_" in of_word else "+".join(of_word), "SpaceAfter=No" not in row[9].split("|")


def _add(fields: Fields, rows: list[Fields]) -> None:
    """Keep a line.

    Raises:
        ValueError: saying what is wrong with it.
    """
    if is_word(fields) and fields[3] != "_" and fields[3] not in UNIVERSAL:
        raise ValueError(f'has UPOS "{fields[3]:.20}", not one of the {len(UNIVERSAL)} universal tags')
    if not fields[1].strip() or len(fields[1]) > LONGEST:
        raise ValueError("has an empty or endless FORM")
    number, dash, last = fields[0].partition("-")
    if dash and not 0 < int(last) - int(number) < LONGEST:
        raise ValueError(f'has ID "{fields[0]:.20}", which is not a range of words')
    rows.append(fields)


def parted(sentences: Sequence[Sentence], tests: Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Sentences to train with, and to test with; none of the second has the text of one of the first.

    Args:
        sentences: of the treebank.
        tests: of a test file; where there are none, each tenth sentence by the hash of its text is taken.

    Raises:
        StelaError: too little is left for one of the two.
    """
    test = list(tests) or [one for one in sentences if int(short_hash(one.text), 16) % HELD_OUT == 0]
    held_out = {one.text for one in test}
    train = [one for one in sentences if one.text not in held_out]
    if len(train) < FEWEST or sum(len(one.words) for one in test) < FEWEST:
        raise StelaError(
            f"the treebank is too small: {len(train)} sentences to train with, {len(test)} to test with.",
            f"give {10 * FEWEST} sentences or more; a tagger needs 20,000 words to be of use",
        )
    if not any(word.label for one in train for word in one.words):
        raise StelaError('the treebank has no UPOS: every word\'s is "_".', "give a treebank with tags")
    return train, test


def labels_of(sentences: Sequence[Sentence], fewest: int) -> list[str]:
    """Labels by falling number: all single tags, and joined ones seen ``fewest`` times."""
    counts = Counter(word.label for one in sentences for word in one.words if word.label)
    kept = [label for label, count in counts.items() if "+" not in label or count >= fewest]
    return sorted(kept, key=lambda label: (-counts[label], label))


def is_spaced(sentences: Sequence[Sentence]) -> bool:
    """Whether the language parts words by white space: after half of all words, or more."""
    words = sum(len(one.words) for one in sentences)
    spaces = sum(one.text.count(" ") + one.spaced for one in sentences)
    return 2 * spaces >= words
