"""The tagger ``penn``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from stela_causal.tagger import CausalTagger
from stela_spacy.loading import load_pipeline
from stela_spacy.names import find_model, is_official
from stela_spacy.tagger import SpacyTagger

import stela_core as stela

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

HERE = Path(__file__).parent
SHIPPED, CAUSAL = "shipped", "causal"
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

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped model's tags."""
        return _tables()

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


class Penn(stela.Tagger[PennParameters]):
    """Penn Treebank tags of English words, as spaCy's tokenizer cuts them, or by a small causal network.

    Raises, when constructed:
        MissingLibraryError: spaCy is not installed; for the model ``causal``, numba is not.
        StelaError: there is no such model, or it has no tagger, or is not for English.
    """

    name = "penn"
    language = "en"
    default_for: ClassVar[Mapping[str, str | None]] = {"en": CAUSAL}
    tagset = "Penn Treebank"
    unit = "word"
    window = SpacyPenn.window
    k = 2

    def __init__(self, parameters: PennParameters | None = None) -> None:
        super().__init__(parameters)
        causal = self.parameters.model == CAUSAL
        self.used: SpacyPenn | CausalPenn = CausalPenn() if causal else SpacyPenn(self.parameters)
        """The tagger of the model, which gives the tags."""
        self.window = self.used.window

    @classmethod
    def status(cls) -> stela.Status:
        """Whether spaCy is installed."""
        return SpacyPenn.status()

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return [*_tables().values(), *CausalPenn.shipped_tables()]

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped model's tags or for the causal one's."""
        return self.used.tables()

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The two models that come along, and those that spaCy publishes for English."""
        return model in {SHIPPED, CAUSAL} or (model.startswith("en_") and is_official(model))

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, before anything of the model is loaded."""
        return (CausalPenn if parameters.model == CAUSAL else SpacyPenn).fingerprint_of(parameters)

    @property
    def fingerprint(self) -> str:
        """Hash of the model's files and of what makes tags of them, wherever the folder is."""
        return self.used.fingerprint

    @property
    def version(self) -> str:
        """Versions of spaCy and of the model; of this package, whose causal model comes along."""
        return self.used.version

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return self.parameters.model

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text; a word never spans white space, which has no tag."""
        return self.used.tag(texts)

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text; the models that come along compute only those."""
        return self.used.last_tags(texts, count)

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; overlapping ones share work."""
        return self.used.last_tags_within(texts, spans, count)

    def portable(self) -> bytes | None:
        """What the causal model knows and its weights, in a file; ``None`` for other models."""
        return self.used.portable()


def _tables() -> dict[int, Path]:
    return {int(file.stem[1:]): file for file in sorted((HERE / "tables").glob("k[0-9].json"))}
