"""The tagger ``penn``."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import stela_core as stela
from stela_core.text.fingerprint import folder_hash, short_hash
from stela_penn.pieces import pieces

if TYPE_CHECKING:
    from spacy.language import Language

    from stela_penn.tails import TailTagger

HERE = Path(__file__).parent
VOCABULARY_LIMIT = 100_000
"""spaCy keeps every word it ever saw, about 450 bytes each: with this many, the model is loaded afresh."""


class PennParameters(stela.Parameters):
    """Which spaCy model tags."""

    model: str = "shipped"
    """``shipped``, or an installed spaCy model (``en_core_web_sm``) or the folder of one."""


class Penn(stela.Tagger):
    """Penn Treebank tags of English words, as spaCy's tokenizer cuts them.

    Raises, when constructed:
        MissingLibraryError: spaCy is not installed.
        StelaError: there is no such model, or it has no tagger, or is not for English.
    """

    name = "penn"
    language = "en"
    tagset = "Penn Treebank"
    unit = "word"
    # The shipped model sees 2 words either side, en_core_web_sm 4: 6 words give exactly the tags
    # that a longer window gives, for the contexts of k <= 5 and k <= 3.
    window = 6
    k = 2
    Parameters = PennParameters

    def __init__(self, parameters: PennParameters | None = None) -> None:
        self.parameters = parameters or PennParameters()
        self._lock = Lock()
        self._nlp: Language
        self._tails: TailTagger | None = None
        self._load()

    @classmethod
    def status(cls) -> stela.Status:
        """Whether spaCy is installed."""
        if importlib.util.find_spec("spacy") is None:
            return stela.Status(False, 'pip install "spacy>=3.8,<4"')
        return stela.Status()

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped model's tags."""
        return {int(file.stem[1:]): file for file in sorted((HERE / "tables").glob("k[0-9].json"))}

    @property
    def model(self) -> str:
        """``shipped``, or the spaCy model as the user named it."""
        return self.parameters.model

    @property
    def version(self) -> str:
        """Versions of spaCy and of the model."""
        return f"spacy {version('spacy')}, {self._nlp.meta['name']} {self._nlp.meta['version']}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and of spaCy's major and minor version, wherever the folder is."""
        release = ".".join(version("spacy").split(".")[:2])
        return short_hash(self.name, self.tagset, release, folder_hash(self._nlp.path))

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text; one text at a time, as other models may not be batch-proof."""
        with self._lock:
            found = [self._tag(text) for text in texts]
            self._forget()
            return found

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text; with the shipped model, only those are computed."""
        if self._tails is None or count == 0:
            return super().last_tags(texts, count)
        with self._lock:
            found: list[tuple[str, ...]] = [()] * len(texts)
            simple: list[int] = []
            for number, text in enumerate(texts):
                if len(pieces(text)) > 1:
                    found[number] = tuple(tag.tag for tag in self._tag(text)[-count:])
                else:
                    simple.append(number)
            docs = [self._nlp.make_doc(texts[number]) for number in simple]
            for number, tags in zip(simple, self._tails.last_tags(docs, count), strict=True):
                found[number] = tags
            self._forget()
            return found

    def _tag(self, text: str) -> list[stela.Tag]:
        return [
            stela.Tag(token.tag_, offset + token.idx, offset + token.idx + len(token))
            for offset, piece in pieces(text)
            for token in self._nlp(piece)
            if not token.is_space
        ]

    def _load(self) -> None:
        from stela_penn.loading import load
        from stela_penn.tails import TailTagger

        shipped = self.parameters.model == "shipped"
        self._nlp = load(str(HERE / "model") if shipped else self.parameters.model)
        if shipped:
            self._tails = TailTagger(self._nlp)

    def _forget(self) -> None:
        if len(self._nlp.vocab) > VOCABULARY_LIMIT:
            self._load()
