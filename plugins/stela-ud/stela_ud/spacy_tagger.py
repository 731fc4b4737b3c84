"""The tagger ``ud-spacy``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from stela_spacy.names import find_model, is_official
from stela_spacy.tagger import SpacyTagger

import stela_core as stela
from stela_core.api import short_hash
from stela_ud.shipped import HABITS, SHIPPED, folder_of, habits_of, tables_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

UNKNOWN = "X"
"""UD's tag for what has no other; some models leave a word without a tag."""


class UdSpacyParameters(stela.Parameters):
    """Which spaCy model tags."""

    model: str = "en"
    """``en``, ``zh`` or ``ko`` for the models that come along, or an installed spaCy model of any
    language (``en_core_web_sm``), or the folder of one.

    From a profile: the first three, and the models that spaCy publishes, where they are installed."""


class UdSpacy(SpacyTagger[UdSpacyParameters]):
    """Universal parts of speech (UPOS), as spaCy's pipelines give them (``token.pos_``).

    Raises, when constructed:
        MissingLibraryError: spaCy is not installed.
        StelaError: there is no such model, or a library that it needs is missing, or it has no UPOS.
    """

    name = "ud-spacy"
    tagset = "Universal Dependencies"

    def __init__(self, parameters: UdSpacyParameters | None = None) -> None:
        super().__init__(parameters)
        code = self._nlp.lang or "xx"
        self.language = "mul" if code == "xx" else code
        habits = HABITS[self.model] if self.model in SHIPPED else habits_of(self.language)
        self.k, self.unit, self.window = habits

    @property
    def model(self) -> str:
        """``en``, ``zh``, ``ko``, or the spaCy model as the user named it."""
        return self.parameters.model

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The shipped models, and those that spaCy publishes."""
        return model in SHIPPED or is_official(model)

    @classmethod
    def folder_of(cls, model: str) -> Path:
        """Folder of the pipeline."""
        return folder_of(model) if model in SHIPPED else find_model(model).folder

    @classmethod
    def fingerprint_of_folder(cls, folder: Path) -> str:
        """Hash of the model's files, of spaCy's major and minor version, and of a segmenter's version."""
        from stela_ud.loading import segmenter_library

        files = super().fingerprint_of_folder(folder)
        library = segmenter_library(folder)
        if not library:
            return files
        try:
            return short_hash(files, library, version(library))
        except PackageNotFoundError:
            return short_hash(files, library)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along, of all languages."""
        return [path for language in sorted(SHIPPED) for path in tables_of(language).values()]

    def tables(self) -> dict[int, Path]:
        """The tables that come along for the shipped model of the language."""
        return tables_of(self.language) if self.language in SHIPPED else {}

    def tag_of(self, token: Token) -> str:
        """The universal part of speech."""
        return token.pos_ or UNKNOWN

    def load(self) -> Language:
        """The pipeline."""
        from stela_ud.loading import load_universal

        return load_universal(str(folder_of(self.model)) if self.model in SHIPPED else self.model)
