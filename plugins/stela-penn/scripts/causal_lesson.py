"""What the causal English tagger learns from: sentences of EWT, and paragraphs that another tagger tagged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from stela_causal.words import CausalWords
from stela_corpora.treebank import Sentence as Tagged
from stela_corpora.treebank import read_documents
from stela_language.treebank import Sentence, Word

import stela_core as stela

TOGETHER = 200
"""Paragraphs that are tagged in one call."""


def gold(file: Path) -> list[Sentence]:
    """The sentences of a CoNLL-U file with Penn tags (XPOS), word by word where words are written as one."""
    return [
        sentence
        for document in read_documents(file, "xpos")
        for sentence in map(placed, document, [*(after.starts_paragraph for after in document[1:]), True])
    ]


def placed(sentence: Tagged, ends_paragraph: bool) -> Sentence:
    """A sentence's text, and the place of each word."""
    start = 0
    words = []
    for word, tag, space in zip(sentence.words, sentence.tags, sentence.spaces, strict=True):
        words.append(Word(start, start + len(word), tag))
        start += len(word) + space
    return Sentence(sentence.text.rstrip(" "), tuple(words), sentence.spaces[-1] or ends_paragraph)


def silver(files: Sequence[Path], tagger: stela.Tagger, second: CausalWords, words: int) -> list[Sentence]:
    """Paragraphs of documents with a tagger's words, and with its tags where the second says the same.

    Args:
        files: documents, ``.jsonl.gz``.
        tagger: cuts the paragraphs into words and tags them.
        second: the tagger that has to agree; a word that it cuts or tags otherwise has no tag.
        words: how many to take in all, as many of each file.
    """
    sentences: list[Sentence] = []
    for file in files:
        left = words // len(files)
        paragraphs = _paragraphs(file)
        while left > 0 and (texts := [text for text, _ in zip(paragraphs, range(TOGETHER), strict=False)]):
            for text, tags, others in zip(texts, tagger.tag(texts), second.tag(texts), strict=True):
                if left > 0 and tags:
                    agreed = set(others)
                    words_of = tuple(
                        Word(tag.start, tag.end, tag.tag if tag in agreed else "") for tag in tags
                    )
                    sentences.append(Sentence(text, words_of, spaced=True))
                    left -= len(tags)
    return sentences


def _paragraphs(file: Path) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from _clean(json.loads(line)["text"].split("\n"))


def _clean(paragraphs: Iterable[str]) -> Iterator[str]:
    return (text for paragraph in paragraphs if (text := paragraph.strip()))
