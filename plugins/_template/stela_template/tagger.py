"""The tagger ``template``: a word has the tag its longest known ending had most often in a treebank."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import stela_core as stela
from stela_core.api import short_hash

HERE = Path(__file__).parent
WORD = re.compile(r"\w+|[^\w\s]")
LONGEST = 6


class TemplateParameters(stela.Parameters):
    """Which treebank the tags are learned from."""

    model: str = "shipped"
    """``shipped``, or the path of a CoNLL-U file."""


class Template(stela.Tagger[TemplateParameters]):
    """Universal tags of Esperanto, or of any language whose treebank is given as the model.

    Raises, when constructed:
        StelaError: the treebank cannot be read, or holds no tags.
    """

    name = "template"
    language = "eo"
    tagset = "Universal Dependencies"
    unit = "word"
    window = 8
    k = 2
    version = "0.1.0"

    def __init__(self, parameters: TemplateParameters | None = None) -> None:
        super().__init__(parameters)
        treebank = read_treebank(self.model)
        self._best = learn(treebank)
        if not self._best:
            raise stela.StelaError(f'treebank "{self.model}" holds no tags.', "give a CoNLL-U file")
        # The tags depend on the treebank alone: a profile refuses a tagger that learned from another.
        self._fingerprint = short_hash(self.name, self.version, treebank)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, compared with a profile's before anything is learned from the file.

        A profile itself names only the shipped treebank (:meth:`accepts_from_profile`, not overridden).
        """
        return short_hash(cls.name, cls.version, read_treebank(parameters.model))

    @property
    def model(self) -> str:
        """``shipped``, or the treebank as the user named it."""
        return self.parameters.model

    @property
    def fingerprint(self) -> str:
        """Hash of the treebank and of the version of this code: raise the version when you change it."""
        return self._fingerprint

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text."""
        stela.require_well_formed(texts)
        return [
            [stela.Tag(self._look_up(match.group()), *match.span()) for match in WORD.finditer(text)]
            for text in texts
        ]

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return sorted((HERE / "tables").glob("k[0-9].json"))

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped treebank's tags."""
        if self.model != "shipped":
            return {}
        return {int(file.stem[1:]): file for file in sorted((HERE / "tables").glob("k[0-9].json"))}

    def _look_up(self, word: str) -> str:
        return next(self._best[ending] for ending in endings(word) if ending in self._best)


def read_treebank(model: str) -> str:
    """The text of the shipped treebank, or of the user's."""
    path = HERE / "treebank.conllu" if model == "shipped" else Path(model)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise stela.StelaError(f'treebank "{path}" cannot be read: {error}.', "check the path") from None


def learn(treebank: str) -> dict[str, str]:
    """The most frequent tag of each word and each ending; of those equally frequent, the first met."""
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in treebank.split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():  # not 1-2 (words written as one), not 1.1 (a word left out)
            for ending in endings(columns[1]):
                seen[ending][columns[3]] += 1
    return {ending: tags.most_common(1)[0][0] for ending, tags in seen.items()}


def endings(word: str) -> list[str]:
    """The whole word, marked by a line break, and its endings down to none: urbo, rbo, bo, o, nothing."""
    tail = word[-LONGEST:]
    return ["\n" + word, *(tail[start:] for start in range(len(tail) + 1))]
