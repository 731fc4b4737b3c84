"""Load a spaCy pipeline with what a tagger needs of it, or say in one line why not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import stela_core as stela
from stela_core.api import own_process
from stela_spacy.imports import import_spacy
from stela_spacy.names import find_model, is_official
from stela_spacy.rules_once import load_folder, search_ends
from stela_spacy.safety import read_config, require_safe

if TYPE_CHECKING:
    from spacy.language import Language


def load_pipeline(model: str, exclude: Sequence[str], owner: str) -> Language:
    """The pipeline of an installed spaCy model or of a folder, on numpy.

    A folder runs no code (:mod:`stela_spacy.safety`). A package that spaCy does not
    publish may bring code, as any package that was installed, and is imported for it.

    Args:
        model: name of a package or folder.
        exclude: names of components that are not loaded.
        owner: who asks, for messages: ``tagger "penn"``.

    Raises:
        MissingLibraryError: spaCy is not installed, or a library that this model needs.
        StelaError: there is no such model, or it cannot be read, or asks for what is not loaded.
    """
    try:
        import_spacy(bool(own_process))
        import spacy
        from thinc.api import use_ops
    except ImportError:
        raise stela.MissingLibraryError("spaCy", owner, '"spacy>=3.8,<4"') from None
    location = find_model(model)
    if not location.in_package:
        require_safe(location.folder, model, exclude)
    of_package = location.in_package and not is_official(model)
    try:
        # On numpy and BLIS everywhere: the gemm of other devices may give a row other bits in a batch.
        with use_ops("numpy"):
            if of_package:
                nlp = spacy.load(model, exclude=exclude)
                if type(nlp.tokenizer).__module__ == "spacy.tokenizer":
                    search_ends(nlp.tokenizer)
            else:
                nlp = load_folder(location.folder, exclude, read_config(location.folder, model))
    except OSError as error:
        raise stela.StelaError(f'cannot read spaCy model "{model}": {error}') from None
    except ImportError as error:
        raise _missing(model, error) from None
    except (KeyError, ValueError) as error:
        raise _unusable(model, error) from None
    # spaCy's limit on the length of a text guards the parser.
    nlp.max_length = sys.maxsize
    return nlp


LIBRARIES = {
    "pkuseg": "spacy-pkuseg",
    "jieba": "jieba",
    "mecab": "natto-py",
    "natto": "natto-py",
    "sudachi": "sudachipy sudachidict-core",
    "pythainlp": "pythainlp",
    "pyvi": "pyvi",
    "torch": "spacy-curated-transformers",
    "transformers": "spacy-transformers",
}
"""A word of the message when a library is missing, to what pip installs."""


def _missing(model: str, error: ImportError) -> stela.StelaError:
    said = str(error)
    for word, package in LIBRARIES.items():
        if word in said.lower():
            return stela.StelaError(f'spaCy model "{model}" needs {package}.', f"pip install {package}")
    return _unusable(model, error)


def _unusable(model: str, error: Exception) -> stela.StelaError:
    hint = f"python -m spacy download {model}" if is_official(model) else ""
    return stela.StelaError(f'cannot load spaCy model "{model}": {error}', hint)
