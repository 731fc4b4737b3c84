"""The fast path of the shipped Chinese pipeline: words are cut off the end of the text, as many as needed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spacy.attrs import IDS, ORTH
from stela_spacy.kernels import Floats
from stela_spacy.network import OUTSIDE, REACH
from stela_spacy.tails import BATCH, TailTagger

from stela_ud.features import CHINESE, Getters

if TYPE_CHECKING:
    from spacy.language import Language

    from stela_ud.segmenter import Segmenter

KEPT_WORDS = 65_536


class ChineseTails:
    """Tags of a text's last words, without a ``Doc``: a word's features depend only on the word."""

    def __init__(self, nlp: Language, component: str, labels: Sequence[str]) -> None:
        self.tails = TailTagger(nlp, component, labels)
        self.segmenter: Segmenter = nlp.tokenizer  # type: ignore[assignment]
        self._strings = nlp.vocab.strings
        getters: Getters = {**CHINESE, ORTH: lambda word: word}
        self._getters = [getters[IDS[column]] for column in self.tails.columns]
        self._keys: dict[str, bytes] = {}

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, in their order; white space has none."""
        tags: list[tuple[str, ...]] = []
        for start in range(0, len(texts), BATCH):
            keys, places, sizes = self._run(texts[start : start + BATCH], count)
            tags += self.tails.network.tags(keys, places, sizes)
        return tags

    def scores(self, texts: Sequence[str], count: int) -> tuple[Floats, list[int]]:
        """Scores (n, labels) of the last ``count`` > 0 words of all texts, and how many each text has."""
        keys, places, sizes = self._run(texts, count)
        return self.tails.network.scores(keys, places), sizes

    def _run(self, texts: Sequence[str], count: int) -> tuple[list[bytes], list[int], list[int]]:
        """Keys of the last tokens, places of the words among them, and how many each text has."""
        if len(self._keys) > KEPT_WORDS:
            self._keys.clear()
        keys: list[bytes] = []
        places: list[int] = []
        sizes: list[int] = []
        for words in self.segmenter.last_words(texts, count, REACH):
            wanted = [i for i, word in enumerate(words) if not word.isspace()][-count:]
            sizes.append(len(wanted))
            places += [len(keys) + REACH + i for i in wanted]
            keys += [OUTSIDE] * REACH
            keys += [self._keys.get(word) or self._key_of(word) for word in words]
            keys += [OUTSIDE] * REACH
        return keys, places, sizes

    def _key_of(self, word: str) -> bytes:
        """The ids of a word's features, as ``Doc.to_array`` gives them: a hash, or the number of a symbol."""
        strings = self._strings
        key = array("Q", [strings[getter(word)] for getter in self._getters]).tobytes()
        self._keys[word] = key
        return key
