"""Sentences as the networks are trained on them: joined, cut, and laid one behind the other."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from stela_causal.alphabet import Alphabet, Encoded
from stela_ctb.shipped import NO_WORD, ROWS, labels_of
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))
from ctb_treebank import Sentence

GAP = 4
"""Places of nothing after each text: no less than the longest dilation."""

MODERN = {"「": "“", "」": "”", "『": "‘", "』": "’", "----": "——", "--": "——", "......": "……"}
TO_ASCII = str.maketrans("，。；：？！（）“”‘’、", ",.;:?!()\"\"'',")


class Batch(NamedTuple):
    """Texts one behind the other, n places and w words."""

    inputs: tuple[Tensor, Tensor, Tensor, Tensor]
    """(1, n) ids of characters, of pairs on the left and on the right, and 1.0 inside the text."""
    labels: Tensor
    """(n,) B, M, E, S as 0 to 3; -1 in gaps and white space."""
    word: Tensor
    """(n,) number of the word a place belongs to; w where there is none."""
    tags: Tensor
    """(w,) tag of each word."""


def with_blanks(sentence: Sentence) -> Sentence:
    """A blank between two Latin words that follow each other, where the treebank lost it."""
    spaces = list(sentence.spaces)
    for place in range(len(spaces) - 1):
        before, behind = sentence.words[place][-1], sentence.words[place + 1][0]
        if before.isascii() and before.isalpha() and behind.isascii() and behind.isalnum():
            spaces[place] = True
    return Sentence(sentence.words, sentence.tags, spaces)


def vary(words: list[str], chance: random.Random) -> list[str]:
    """Words, with other punctuation than the treebank's in most runs: it has no “” and hardly a ！."""
    if chance.random() < 0.8:
        words = [MODERN.get(word, word) for word in words]
    if words[-1] == "。" and chance.random() < 0.1:
        words = [*words[:-1], chance.choice("！？")]
    if chance.random() < 0.1:
        words = [word.translate(TO_ASCII) for word in words]
    return words


def pieces(sentences: list[Sentence], chance: random.Random) -> Iterator[Sentence]:
    """Runs of 1-3 sentences; a fifth starts late and a fifth ends early, as a window does."""
    start = 0
    while start < len(sentences):
        size = chance.choice((1, 1, 2, 3))
        run = sentences[start : start + size]
        start += size
        words = [word for sentence in run for word in vary(sentence.words, chance)]
        tags = [tag for sentence in run for tag in sentence.tags]
        spaces = [space for sentence in run for space in sentence.spaces]
        first = chance.randrange(len(words)) if chance.random() < 0.2 else 0
        last = chance.randrange(first, len(words)) + 1 if chance.random() < 0.2 else len(words)
        yield Sentence(words[first:last], tags[first:last], spaces[first:last])


def batches(sentences: list[Sentence], size: int) -> Iterator[list[Sentence]]:
    """Groups of at least ``size`` characters, the last one less."""
    group: list[Sentence] = []
    for sentence in sentences:
        group.append(sentence)
        if sum(len(member.text) for member in group) >= size:
            yield group
            group = []
    if group:
        yield group


def inputs_of(encoded: Encoded) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(1, n) each: rows of characters, of pairs on the left and on the right, and 1.0 inside of texts."""
    rows = np.arange(max(len(ROWS), encoded.chars.max(initial=0) + 1))
    rows[: len(ROWS)] = ROWS
    left = encoded.endings[:, 0] + 1
    inputs = rows[encoded.chars], left, np.append(left[1:], 1), encoded.inside.astype(np.float32)
    chars, before, behind, inside = (torch.from_numpy(part)[None] for part in inputs)
    return chars, before, behind, inside


def lay_out(sentences: list[Sentence], characters: Alphabet, tag_ids: dict[str, int]) -> Batch:
    """Ids, labels and tags of sentences; a tag that is not known is the first one."""
    encoded = characters.encode([sentence.text for sentence in sentences], GAP)
    size = len(encoded.chars)
    spans = [
        (start + first, start + last)
        for start, sentence in zip(encoded.starts, sentences, strict=True)
        for first, last in sentence.spans
    ]
    word = np.full(size, len(spans))
    for number, (first, last) in enumerate(spans):
        word[first:last] = number
    tags = [tag_ids.get(tag, 0) for sentence in sentences for tag in sentence.tags]
    labels = np.where(word < len(spans), labels_of(spans, size), NO_WORD)
    return Batch(
        inputs_of(encoded),
        torch.from_numpy(labels),
        torch.from_numpy(word),
        torch.tensor(tags),
    )
