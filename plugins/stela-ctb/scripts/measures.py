"""How well a tokenizer and a tagger do on a treebank."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from ctb_treebank import Sentence
from stela_ctb.components import CharacterTagger, CharacterTokenizer, spans_of

BATCH = 32


def _groups(sentences: list[Sentence]) -> Any:
    return (sentences[start : start + BATCH] for start in range(0, len(sentences), BATCH))


def _items(sentence: Sentence) -> list[str]:
    """The words of a sentence, and the blanks between them."""
    pieces = []
    for word, space in zip(sentence.words, sentence.spaces, strict=True):
        pieces += [word, " "] if space else [word]
    return pieces


def _f1(gold: list[set[Any]], predicted: list[set[Any]]) -> float:
    """Harmonic mean of precision and recall over all sentences."""
    right = sum(len(a & b) for a, b in zip(gold, predicted, strict=True))
    return 2 * right / (sum(map(len, gold)) + sum(map(len, predicted)))


def segmentation_f1(tokenizer: CharacterTokenizer, sentences: list[Sentence]) -> float:
    """F1 of word spans."""
    predicted = []
    for group in _groups(sentences):
        predicted += [set(spans_of(items)) for items in tokenizer.predict([s.text for s in group])]
    return _f1([set(s.spans) for s in sentences], predicted)


def accuracy(tagger: CharacterTagger, sentences: list[Sentence]) -> float:
    """Share of right tags, with the treebank's words."""
    right = total = 0
    for group in _groups(sentences):
        for sentence, tags in zip(group, tagger.predict([_items(s) for s in group]), strict=True):
            word_tags = [tag for tag in tags if tag]
            right += sum(a == b for a, b in zip(word_tags, sentence.tags, strict=True))
            total += len(word_tags)
    return right / total


def joint_f1(tokenizer: CharacterTokenizer, tagger: CharacterTagger, sentences: list[Sentence]) -> float:
    """F1 of word spans with tags."""
    gold = [{(*span, tag) for span, tag in zip(s.spans, s.tags, strict=True)} for s in sentences]
    predicted = []
    for group in _groups(sentences):
        items = tokenizer.predict([s.text for s in group])
        for words, tags in zip(items, tagger.predict(items), strict=True):
            kept = [tag for tag in tags if tag]
            predicted.append({(*span, tag) for span, tag in zip(spans_of(words), kept, strict=True)})
    return _f1(gold, predicted)
