"""The tagger ``penn``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from stela_causal.models import CAUSAL, ModelsTagger
from stela_causal.tagger import CausalTagger
from stela_spacy.loading import load_pipeline
from stela_spacy.names import find_model, is_official
from stela_spacy.tagger import SpacyTagger

import stela_core as stela

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

HERE = Path(__file__).parent
SHIPPED = "shipped"
NOT_NEEDED = ("parser", "senter", "ner", "entity_ruler", "lemmatizer", "morphologizer", "textcat", "spancat")


class PennParameters(stela.Parameters):
    """Which model tags."""

    model: str = SHIPPED
    """``shipped``, ``causal``, which comes along as well, looks left only and needs no spaCy; or an installed
    spaCy model (``en_core_web_sm``) or the folder of one.

    From a profile: ``shipped``, ``causal``, and the English models that spaCy publishes, where they are
    installed."""


class CausalPenn(CausalTagger):
    """The network of ``penn:causal``, which :class:`Penn` asks."""

    name, language = "penn", "en"
    default_for: ClassVar[Mapping[str, str | None]] = {}
    tagset = "Penn Treebank"
    model = CAUSAL
    licence = "CC BY-SA 4.0"
    folder = HERE / "causal"
    # The network sees 37 characters. Of 8 words one window in twenty is shorter, and is tagged by itself.
    window = 10

    @property
    def version(self) -> str:
        """Version of this package, whose model comes along."""
        return f"stela-penn {version('stela-penn')}"


class SpacyPenn(SpacyTagger[PennParameters]):
    """A pipeline of spaCy's, the shipped one or another, which :class:`Penn` asks."""

    name, language = "penn", "en"
    tagset = "Penn Treebank"
    # The shipped model sees 2 words either side, en_core_web_sm 4: 6 words give exactly the tags
    # that a longer window gives, for the contexts of k <= 5 and k <= 3.
    window = 6

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return sorted((HERE / "tables").glob("k[0-9].json"))

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped model's tags."""
        return {int(file.stem[1:]): file for file in self.shipped_tables()}

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The shipped model, and those that spaCy publishes for English."""
        return model == SHIPPED or (model.startswith("en_") and is_official(model))

    @classmethod
    def folder_of(cls, model: str) -> Path:
        """The folder of the pipeline."""
        return HERE / "model" if model == SHIPPED else find_model(model).folder

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return self.parameters.model

    def tag_of(self, token: Token) -> str:
        """The language's own tag."""
        return token.tag_

    def load(self) -> Language:
        """The pipeline."""
        model = str(HERE / "model") if self.model == SHIPPED else self.model
        nlp = load_pipeline(model, NOT_NEEDED, 'tagger "penn"')
        if "tagger" not in nlp.pipe_names:
            raise stela.StelaError(f'spaCy model "{model}" has no tagger.', "en_core_web_sm has one")
        if nlp.lang != "en":
            raise stela.StelaError(
                f'spaCy model "{model}" is for language "{nlp.lang}", the tagger "penn" for English.',
                "name an English model such as en_core_web_sm",
            )
        return nlp


class Penn(ModelsTagger):
    """Penn Treebank tags of English words, as spaCy's tokenizer cuts them, or by a small causal network.

    Raises, when constructed:
        MissingLibraryError: spaCy is not installed; for the model ``causal``, numba is not.
        StelaError: there is no such model, or it has no tagger, or is not for English.
    """

    Parameters = PennParameters
    name = "penn"
    language = "en"
    default_for: ClassVar[Mapping[str, str | None]] = {"en": CAUSAL}
    tagset = "Penn Treebank"
    unit = "word"
    window = SpacyPenn.window
    k = 2
    causal, other = CausalPenn, SpacyPenn

    def __init__(self, parameters: PennParameters | None = None) -> None:
        super().__init__(parameters)
        self.window = self.used.window
