"""How well a tokenizer and a tagger do on a treebank."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from ctb_treebank import Sentence
from parts import Part


def f1(gold: list[set[Any]], predicted: list[set[Any]]) -> float:
    """Harmonic mean of precision and recall over all sentences."""
    right = sum(len(a & b) for a, b in zip(gold, predicted, strict=True))
    return 2 * right / (sum(map(len, gold)) + sum(map(len, predicted)))


def segmentation_f1(tokenizer: Part, sentences: list[Sentence]) -> float:
    """F1 of word spans."""
    predicted = [set(words) for words in tokenizer.words([s.text for s in sentences])]
    return f1([set(s.spans) for s in sentences], predicted)


def accuracy(tagger: Part, sentences: list[Sentence]) -> float:
    """Share of right tags, with the treebank's words."""
    tags = tagger.tags([s.text for s in sentences], [s.spans for s in sentences])
    pairs = [pair for s, each in zip(sentences, tags, strict=True) for pair in zip(each, s.tags, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def joint_f1(tokenizer: Part, tagger: Part, sentences: list[Sentence]) -> float:
    """F1 of word spans with tags."""
    texts = [s.text for s in sentences]
    words = tokenizer.words(texts)
    tagged = zip(words, tagger.tags(texts, words), strict=True)
    gold = [set(zip(s.spans, s.tags, strict=True)) for s in sentences]
    return f1(gold, [set(zip(*one, strict=True)) for one in tagged])
