"""The tagger ``ud-stanza``."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from stela_spacy.pieces import pieces

import stela_core as stela
from stela_core.api import short_hash
from stela_ud.shipped import habits_of
from stela_ud.spacy_tagger import UNKNOWN
from stela_ud.stanza_loading import files_among, is_language, load_stanza, options_of_folder

LONGEST_RUN = 1_000
"""Characters without white space that are tagged at once: Stanza reads as many in one go."""


class UdStanzaParameters(stela.Parameters):
    """The models of Stanza that tag."""

    model: str = "en"
    """Code of one of Stanza's languages, whose models were downloaded, or a folder with a tokenizer and a
    tagger (``*tokenizer*.pt``, ``*tagger*.pt``).

    From a profile: a code of a language. ``./en`` is a folder, ``en`` never is."""


class UdStanza(stela.Tagger[UdStanzaParameters]):
    """Universal parts of speech (UPOS) by Stanza; the words of a multi-word token share its span.

    Stanza's networks see the whole text, and its batches are padded: texts are tagged one at a time, on
    one thread, so that the tags of a text depend on nothing else.

    Raises, when constructed:
        MissingLibraryError: Stanza is not installed.
        StelaError: the models are not here (nothing is downloaded), or cannot be read.
    """

    name = "ud-stanza"
    tagset = "Universal Dependencies"

    def __init__(self, parameters: UdStanzaParameters | None = None) -> None:
        super().__init__(parameters)
        self._lock = Lock()
        code, self._pipeline = load_stanza(self.parameters.model)
        self.language = code.split("-")[0]
        self.k, self.unit, self.window = habits_of(self.language)

    @classmethod
    def status(cls) -> stela.Status:
        """Whether Stanza is installed; whether a language's models are is known when it is asked for."""
        if importlib.util.find_spec("stanza") is None:
            return stela.Status(False, 'pip install "stela-ud[stanza]"')
        return stela.Status()

    @property
    def model(self) -> str:
        """The language or the folder, as the user named it."""
        return self.parameters.model

    @cached_property
    def version(self) -> str:
        """Versions of Stanza and torch, and the names of the models."""
        names = " ".join(f"{path.parent.name}/{path.stem}" for path in files_among(self._pipeline.config))
        return f"stanza {version('stanza')}, {names}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the models' bytes and of Stanza's version, wherever the files are."""
        return self._hash(files_among(self._pipeline.config))

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """Codes of languages, whose models the user downloaded from Stanza."""
        return is_language(model)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str | None:
        """The :attr:`fingerprint` of a folder; ``None`` for a language, of which Stanza finds the files."""
        if is_language(parameters.model) or not Path(parameters.model).is_dir():
            return None
        return cls._hash(files_among(options_of_folder(Path(parameters.model))[1]))

    @classmethod
    def _hash(cls, files: Sequence[Path]) -> str:
        contents = [file.read_bytes() for file in files]
        return short_hash(cls.name, cls.tagset, version("stanza"), *contents)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text."""
        stela.require_well_formed(texts)
        with self._lock, _one_thread():
            return [self._tag(text) for text in texts]

    def _tag(self, text: str) -> list[stela.Tag]:
        tags: list[stela.Tag] = []
        for offset, piece in pieces(text, LONGEST_RUN):
            if not piece.strip():
                continue
            for sentence in self._pipeline(piece).sentences:
                for token in sentence.tokens:
                    start, end = offset + token.start_char, offset + token.end_char
                    tags += [stela.Tag(word.upos or UNKNOWN, start, end) for word in token.words]
        return tags


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums of several threads may differ in their last bits from machine to machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
