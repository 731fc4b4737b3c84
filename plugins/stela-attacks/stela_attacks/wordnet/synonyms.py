"""Synonyms of a word as it stands in a text."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from stela_attacks.wordnet.function_words import FUNCTION_WORDS
from stela_attacks.wordnet.inflection import ENDINGS, inflect, stems

if TYPE_CHECKING:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader


class Reading(NamedTuple):
    """One way to read a form."""

    lemma: str
    pos: str
    ending: str
    synsets: list[Any]
    """Synsets of this lemma and part of speech, most frequent sense first."""
    frequency: int
    """Frequency of the most frequent sense in the tagged corpora that come with WordNet."""


class Synonyms:
    """Look up synonyms; what was looked up once is kept.

    Args:
        reader: WordNet.
        senses: how many senses of the part of speech, from the most frequent on.
        multiword: whether synonyms of several words count.
    """

    def __init__(self, reader: WordNetCorpusReader, senses: int, multiword: bool) -> None:
        self._reader = reader
        self._senses = senses
        self._multiword = multiword
        self._irregular: dict[str, dict[str, list[str]]] = {}
        for pos, exceptions in reader._exception_map.items():
            forms: dict[str, list[str]] = defaultdict(list)
            for form, lemmas in exceptions.items():
                for lemma in lemmas:
                    forms[lemma].append(form)
            self._irregular[pos] = dict(forms)
        self.of = lru_cache(maxsize=None)(self._of)

    def _of(self, form: str) -> tuple[str, ...]:
        """Synonyms with the ending of the form, sorted; empty where there are none.

        Args:
            form: a word in lower case.
        """
        if form in FUNCTION_WORDS or len(form) < 2:
            return ()
        reading = self._read(form)
        if reading is None:
            return ()
        forms = set()
        for synset in reading.synsets[: self._senses]:
            for name in synset.lemma_names():
                inflected = self._inflected(name, reading.pos, reading.ending)
                if inflected is not None and inflected != form and name != reading.lemma:
                    forms.add(inflected)
        return tuple(sorted(forms))

    def _read(self, form: str) -> Reading | None:
        """The reading whose most frequent sense is the most frequent; a form unchanged before others."""
        best = None
        for pos, endings in ENDINGS.items():
            for ending in endings:
                for lemma in stems(form, ending):
                    if inflect(lemma, pos, ending, self._forms(pos, lemma)) != form:
                        continue
                    reading = self._reading(lemma, pos, ending)
                    if reading is not None and (best is None or reading.frequency > best.frequency):
                        best = reading
        return best

    def _reading(self, lemma: str, pos: str, ending: str) -> Reading | None:
        # NLTK also finds synsets of other lemmas that the form may come from, and of names in capitals.
        synsets = [synset for synset in self._reader.synsets(lemma, pos) if lemma in synset.lemma_names()]
        if not synsets:
            return None
        count = max(one.count() for one in synsets[0].lemmas() if one.name() == lemma)
        return Reading(lemma, pos, ending, synsets, count)

    def _inflected(self, name: str, pos: str, ending: str) -> str | None:
        words = name.split("_")
        if not all(word.isalpha() and word.islower() for word in words):
            return None  # names, numbers, abbreviations
        if len(words) > 1:
            # of a phrase, which word has the ending is not known
            return " ".join(words) if self._multiword and not ending else None
        return inflect(name, pos, ending, self._forms(pos, name))

    def _forms(self, pos: str, lemma: str) -> list[str]:
        return self._irregular.get(pos, {}).get(lemma, [])
