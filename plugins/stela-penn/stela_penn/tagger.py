"""The tagger ``penn``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from stela_spacy.loading import load_pipeline
from stela_spacy.names import find_model, is_official
from stela_spacy.tagger import SpacyTagger

import stela_core as stela

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token
    from stela_spacy.tagger import LastTags

HERE = Path(__file__).parent
SHIPPED = "shipped"
NOT_NEEDED = ("parser", "senter", "ner", "entity_ruler", "lemmatizer", "morphologizer", "textcat", "spancat")


class PennParameters(stela.Parameters):
    """Which spaCy model tags."""

    model: str = SHIPPED
    """``shipped``, or an installed spaCy model (``en_core_web_sm``) or the folder of one.

    From a profile: ``shipped``, and the English models that spaCy publishes, where they are installed."""


class Penn(SpacyTagger[PennParameters]):
    """Penn Treebank tags of English words, as spaCy's tokenizer cuts them.

    Raises, when constructed:
        MissingLibraryError: spaCy is not installed.
        StelaError: there is no such model, or it has no tagger, or is not for English.
    """

    name = "penn"
    language = "en"
    default_for: ClassVar[Mapping[str, str | None]] = {"en": None}
    tagset = "Penn Treebank"
    unit = "word"
    # The shipped model sees 2 words either side, en_core_web_sm 4: 6 words give exactly the tags
    # that a longer window gives, for the contexts of k <= 5 and k <= 3.
    window = 6
    k = 2

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return sorted((HERE / "tables").glob("k[0-9].json"))

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped model's tags."""
        return {int(file.stem[1:]): file for file in sorted((HERE / "tables").glob("k[0-9].json"))}

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The shipped model, and those that spaCy publishes for English."""
        return model == SHIPPED or (model.startswith("en_") and is_official(model))

    @classmethod
    def folder_of(cls, model: str) -> Path:
        """Where the pipeline is."""
        return HERE / "model" if model == SHIPPED else find_model(model).folder

    @property
    def model(self) -> str:
        """``shipped``, or the spaCy model as the user named it."""
        return self.parameters.model

    def tag_of(self, token: Token) -> str:
        """The language's own tag."""
        return token.tag_

    def load(self) -> tuple[Language, LastTags | None]:
        """The pipeline; the shipped one has a fast path."""
        shipped = self.parameters.model == SHIPPED
        model = str(HERE / "model") if shipped else self.parameters.model
        nlp = load_pipeline(model, NOT_NEEDED, 'tagger "penn"')
        if "tagger" not in nlp.pipe_names:
            raise stela.StelaError(f'spaCy model "{model}" has no tagger.', "en_core_web_sm has one")
        if nlp.lang != "en":
            raise stela.StelaError(
                f'spaCy model "{model}" is for language "{nlp.lang}", the tagger "penn" for English.',
                "name an English model such as en_core_web_sm",
            )
        if not shipped:
            return nlp, None
        from stela_spacy.tails import TailTagger

        tagger: Any = nlp.get_pipe("tagger")
        return nlp, TailTagger(nlp, "tagger", tagger.labels)
