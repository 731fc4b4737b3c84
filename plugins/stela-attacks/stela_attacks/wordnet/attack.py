"""The attack."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of

import stela_core as stela
from stela_attacks.wordnet.database import open_wordnet
from stela_attacks.wordnet.inflection import with_capitals
from stela_attacks.wordnet.synonyms import Synonyms

WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
"""Letters, with apostrophes and hyphens inside."""


class WordNetParameters(stela.Parameters):
    """How much is replaced, and by what."""

    share: float = Field(0.3, ge=0, le=1)
    """Share of the words that are replaced; where fewer have a synonym, all that have one are replaced."""

    path: str | None = None
    """A WordNet folder or zip, relative to the experiment's data; by default where NLTK has it, and
    downloaded when online."""

    senses: int = Field(3, ge=1, le=100)
    """Senses of the word that synonyms are taken from, from the most frequent on."""

    multiword: bool = False
    """Whether a synonym may be of several words."""


class WordNet(stela_run.Attack[WordNetParameters]):
    """Replace a share of the words by a synonym of the same part of speech.

    The part of speech is that of the word's most frequent sense. Plural -s and the verbs' -s, -ed and
    -ing are kept, as are capitals; function words, and names and forms that WordNet does not list, are kept.
    """

    name = "wordnet"
    languages = frozenset({"en"})

    def check(self, preflight: stela_run.Preflight) -> None:
        """Open WordNet; without a path, one that NLTK does not have is fetched now.

        Raises:
            StelaError: there is none, or it cannot be read.
        """
        given = self.parameters.path
        open_wordnet(None if given is None else str(preflight.path(given)))

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The changed texts.

        Raises:
            StelaError: there is no WordNet.
        """
        given = self.parameters.path
        path = None if given is None else str(circumstances.path(given))
        synonyms = _synonyms(path, self.parameters.senses, self.parameters.multiword)
        return [self._change(text, synonyms, circumstances.seed) for text in texts]

    def _change(self, text: str, synonyms: Synonyms, seed: int) -> str:
        words = list(WORD.finditer(text))
        wanted = int(self.parameters.share * len(words) + 0.5)
        able = [number for number, word in enumerate(words) if synonyms.of(word.group().lower())]
        draws = draws_of(seed, text, self.name)
        # In the order of one shuffle, a larger share replaces the words of a smaller one and more.
        order = draws.permutation(len(able)).tolist()
        picks = draws.random(len(able)).tolist()
        chosen = {able[place]: picks[place] for place in order[:wanted]}
        parts: list[str] = []
        end = 0
        for number, word in enumerate(words):
            if number in chosen:
                offered = synonyms.of(word.group().lower())
                new = offered[int(chosen[number] * len(offered))]
                parts += (text[end : word.start()], with_capitals(new, word.group()))
                end = word.end()
        return "".join([*parts, text[end:]])


@lru_cache(maxsize=4)
def _kept(reader: object, senses: int, multiword: bool) -> Synonyms:
    return Synonyms(reader, senses, multiword)


def _synonyms(path: str | None, senses: int, multiword: bool) -> Synonyms:
    return _kept(open_wordnet(path), senses, multiword)
