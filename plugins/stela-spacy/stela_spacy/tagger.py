"""What is common to taggers that run a spaCy pipeline."""

from __future__ import annotations

import importlib.util
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import stela_core as stela
from stela_core.api import P_co, folder_hash, short_hash
from stela_spacy.pieces import LONGEST_RUN, LONGEST_SEGMENT, pieces
from stela_spacy.safety import is_row_wise

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

VOCABULARY_LIMIT = 100_000
"""spaCy keeps every word it ever saw, about 450 bytes each: with this many, the model is loaded afresh."""
CHARACTERS_AT_ONCE = 32_768
"""How much text goes through the network at once, which bounds its memory."""


class SpacyTagger(stela.Tagger[P_co]):
    """Tags of the words that a pipeline's tokenizer makes; white space has none.

    A subclass says which pipeline (:meth:`load`) and which attribute of its tokens (:meth:`tag_of`). Windows
    are tagged as they are, many in one batch where the pipeline's layers know nothing of a batch, else one
    by one: tags never depend on what else is asked for.
    """

    _nlp: Language

    def __init__(self, parameters: P_co | None = None) -> None:
        super().__init__(parameters)
        self._lock = Lock()
        self._take()

    @abstractmethod
    def load(self) -> Language:
        """The pipeline; called again when the vocabulary is full."""

    @abstractmethod
    def tag_of(self, token: Token) -> str:
        """The tag of a token of the pipeline."""

    @classmethod
    def status(cls) -> stela.Status:
        """Whether spaCy is installed."""
        if importlib.util.find_spec("spacy") is None:
            return stela.Status(False, 'pip install "spacy>=3.8,<4"')
        return stela.Status()

    @property
    def version(self) -> str:
        """Versions of spaCy and of the model."""
        return f"spacy {version('spacy')}, {self._nlp.meta['name']} {self._nlp.meta['version']}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and of spaCy's major and minor version, wherever the folder is."""
        return self.fingerprint_of_folder(self._nlp.path)

    @classmethod
    @abstractmethod
    def folder_of(cls, model: str) -> Path:
        """The folder of the pipeline that is loaded for a model.

        Raises:
            StelaError: there is no such model.
        """

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, before the pipeline is loaded."""
        return cls.fingerprint_of_folder(cls.folder_of(parameters.model))

    @classmethod
    def fingerprint_of_folder(cls, folder: Path) -> str:
        """Hash of a pipeline's files and of spaCy's major and minor version."""
        release = ".".join(version("spacy").split(".")[:2])
        return short_hash(cls.name, cls.tagset, release, folder_hash(folder))

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text."""
        stela.require_well_formed(texts)
        with self._lock:
            cut = [pieces(text, self._longest) for text in texts]
            whole = [piece for each in cut for _, piece in each]
            longest = max(map(len, whole), default=0)
            size = max(CHARACTERS_AT_ONCE // max(longest, 1), 1) if self._batched else 1
            docs = self._nlp.pipe(self._cut(whole, size), batch_size=size)
            tagged = [self._tags(each, docs) for each in cut]
            if len(self._nlp.vocab) > VOCABULARY_LIMIT:
                self._take()
            return tagged

    def _cut(self, texts: Sequence[str], size: int) -> Iterable[Doc]:
        """Words of texts; a tokenizer that a package brings may know only one text at a time."""
        tokenizer: Any = self._nlp.tokenizer
        many = getattr(tokenizer, "pipe", None)
        return map(tokenizer, texts) if many is None else many(texts, batch_size=size)

    def _tags(self, cut: Sequence[tuple[int, str]], docs: Iterator[Doc]) -> list[stela.Tag]:
        """Tags of a text, whose pieces are the next of the docs."""
        return [
            stela.Tag(self.tag_of(token), offset + token.idx, offset + token.idx + len(token))
            for offset, _ in cut
            for token in next(docs)
            if not token.is_space
        ]

    def _take(self) -> None:
        self._nlp = self.load()
        from spacy.tokenizer import Tokenizer

        by_rules = type(self._nlp.tokenizer) is Tokenizer
        self._longest = LONGEST_RUN if by_rules else LONGEST_SEGMENT
        self._batched = is_row_wise(self._nlp.config["components"])
