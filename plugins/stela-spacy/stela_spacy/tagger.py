"""What is common to taggers that run a spaCy pipeline."""

from __future__ import annotations

import importlib.util
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import stela_core as stela
from stela_core.api import P_co, folder_hash, short_hash
from stela_spacy.pieces import LONGEST_RUN, LONGEST_SEGMENT, pieces

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

VOCABULARY_LIMIT = 100_000
"""spaCy keeps every word it ever saw, about 450 bytes each: with this many, the model is loaded afresh."""


class LastTags(Protocol):
    """A faster way to the last tags of texts, equal to the pipeline's."""

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` > 0 tags of each text, in their order; white space has none."""
        ...


class SpacyTagger(stela.Tagger[P_co]):
    """Tags of the words that a pipeline's tokenizer makes; white space has none.

    A subclass says which pipeline (:meth:`load`) and which attribute of its tokens (:meth:`tag_of`).
    """

    _nlp: Language
    _tails: LastTags | None

    def __init__(self, parameters: P_co | None = None) -> None:
        super().__init__(parameters)
        self._lock = Lock()
        self._take()

    @abstractmethod
    def load(self) -> tuple[Language, LastTags | None]:
        """The pipeline, and its fast path where it has one; called again when the vocabulary is full."""

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
        """Tags of the words of each text; one text at a time, as other models may not be batch-proof."""
        stela.require_well_formed(texts)
        with self._lock:
            tagged = [self._tag(text) for text in texts]
            self._forget()
            return tagged

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text; where there is a fast path, only those are computed."""
        if self._tails is None or count == 0:
            return super().last_tags(texts, count)
        stela.require_well_formed(texts)
        with self._lock:
            if all(len(text) <= self._longest for text in texts):
                last = self._tails.last_tags(texts, count)
                self._forget()
                return last
            last = [()] * len(texts)
            simple: list[int] = []
            for number, text in enumerate(texts):
                if len(text) > self._longest and len(pieces(text, self._longest)) > 1:
                    last[number] = tuple(tag.tag for tag in self._tag(text)[-count:])
                else:
                    simple.append(number)
            tails = self._tails.last_tags([texts[number] for number in simple], count)
            for number, tags in zip(simple, tails, strict=True):
                last[number] = tags
            self._forget()
            return last

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; where there is a fast path, overlapping ones share work."""
        within = getattr(self._tails, "last_tags_within", None)
        if within is None or count == 0 or not self._by_rules:
            return super().last_tags_within(texts, spans, count)
        stela.require_well_formed(texts)
        with self._lock:
            tags: list[list[tuple[str, ...] | None]] = within(texts, spans, count)
            self._forget()
        left = [
            [span for span, known in zip(each, of_text, strict=True) if known is None]
            for each, of_text in zip(spans, tags, strict=True)
        ]
        rest = iter(chain.from_iterable(super().last_tags_within(texts, left, count)))
        return [[next(rest) if known is None else known for known in of_text] for of_text in tags]

    def _tag(self, text: str) -> list[stela.Tag]:
        return [
            stela.Tag(self.tag_of(token), offset + token.idx, offset + token.idx + len(token))
            for offset, piece in pieces(text, self._longest)
            for token in self._nlp(piece)
            if not token.is_space
        ]

    def _take(self) -> None:
        self._nlp, self._tails = self.load()
        self._by_rules = type(self._nlp.tokenizer).__module__ == "spacy.tokenizer"
        self._longest = LONGEST_RUN if self._by_rules else LONGEST_SEGMENT

    def _forget(self) -> None:
        if len(self._nlp.vocab) > VOCABULARY_LIMIT:
            self._take()
