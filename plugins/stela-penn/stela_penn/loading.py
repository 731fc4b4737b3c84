"""Load a spaCy model with what its Penn tags need, or say in one line why not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    from spacy.language import Language

NOT_NEEDED = ("parser", "senter", "ner", "entity_ruler", "lemmatizer", "morphologizer", "textcat", "spancat")


def load(model: str) -> Language:
    """The pipeline of an installed spaCy model or of a folder.

    Raises:
        MissingLibraryError: spaCy is not installed.
        StelaError: there is no such model, it cannot be read, has no tagger, or is not for English.
    """
    try:
        import spacy
        from thinc.api import use_ops
    except ImportError:
        raise stela.MissingLibraryError("spaCy", 'tagger "penn"', '"spacy>=3.8,<4"') from None
    try:
        # On numpy and BLIS everywhere: the gemm of other devices may give a row other bits in a batch.
        with use_ops("numpy"):
            nlp = spacy.load(model, exclude=NOT_NEEDED)
    except OSError as error:
        if "[E050]" not in str(error):
            raise stela.StelaError(f'cannot read spaCy model "{model}": {error}') from None
        raise stela.StelaError(
            f'spaCy model "{model}" is not installed.', f"python -m spacy download {model}"
        ) from None
    except (KeyError, ValueError) as error:
        raise stela.StelaError(
            f'cannot load spaCy model "{model}": {error}', f"python -m spacy download {model}"
        ) from None
    if "tagger" not in nlp.pipe_names:
        raise stela.StelaError(f'spaCy model "{model}" has no tagger.', "en_core_web_sm has one")
    if nlp.lang != "en":
        raise stela.StelaError(
            f'spaCy model "{model}" is for language "{nlp.lang}", the tagger "penn" for English.',
            "name an English model such as en_core_web_sm",
        )
    # spaCy's limit on the length of a text guards the parser, which is not loaded.
    nlp.max_length = sys.maxsize
    return nlp
