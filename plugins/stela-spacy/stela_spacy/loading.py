"""Load a spaCy pipeline with what a tagger needs of it, or say in one line why not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import stela_core as stela
from stela_core.api import own_process
from stela_spacy.names import find_model, is_official
from stela_spacy.safety import require_safe

if TYPE_CHECKING:
    from spacy.language import Language

NEEDING_TORCH = ("spacy_transformers", "spacy_curated_transformers")
"""Libraries whose pipelines run on torch by way of thinc."""
LIBRARIES = {
    "pkuseg": "spacy-pkuseg", "jieba": "jieba", "mecab": "natto-py", "natto": "natto-py", "pyvi": "pyvi",
    "sudachi": "sudachipy sudachidict-core", "pythainlp": "pythainlp", "torch": "spacy-curated-transformers",
    "transformers": "spacy-transformers",
}  # fmt: skip
"""A word of the message when a library is missing, to what pip installs."""


def import_spacy() -> None:
    """Import spaCy; in a command of this project without torch, which costs seconds wherever it is installed.

    thinc, on which spaCy stands, decides once whether there is torch. Another program may want its layers of
    torch later, so nothing is kept from it there.

    Raises:
        ImportError: spaCy is not installed.
    """
    if not own_process or "torch" in sys.modules or any(map(find_spec, NEEDING_TORCH)):
        import spacy

        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import spacy  # noqa: F401
    finally:
        del sys.modules["torch"]


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
        import_spacy()
        import spacy
        from thinc.api import use_ops
    except ImportError:
        raise stela.MissingLibraryError("spaCy", owner, '"spacy>=3.8,<4"') from None
    location = find_model(model)
    if not location.in_package:
        require_safe(location.folder, model, exclude)
    runs_code = location.in_package and not is_official(model)
    hint = f"python -m spacy download {model}" if is_official(model) else ""
    try:
        # On numpy and BLIS everywhere: the gemm of other devices may give a row other bits in a batch.
        with use_ops("numpy"):
            nlp = spacy.load(model if runs_code else location.folder, exclude=exclude)
    except OSError as error:
        raise stela.StelaError(f'cannot read spaCy model "{model}": {error}') from None
    except (ImportError, KeyError, ValueError) as error:
        said = str(error).lower() if isinstance(error, ImportError) else ""
        for package in (package for word, package in LIBRARIES.items() if word in said):
            raise stela.StelaError(
                f'spaCy model "{model}" needs {package}.', f"pip install {package}"
            ) from None
        raise stela.StelaError(f'cannot load spaCy model "{model}": {error}', hint) from None
    # spaCy's limit on the length of a text guards the parser.
    nlp.max_length = sys.maxsize
    return nlp
