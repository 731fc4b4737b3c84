"""Load a pipeline with all that its universal parts of speech need, and nothing else that is slow."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_spacy.loading import import_spacy, load_pipeline
from stela_spacy.safety import read_config

import stela_core as stela

if TYPE_CHECKING:
    from spacy.language import Language

NEVER_NEEDED = (
    "ner", "entity_ruler", "entity_linker", "span_ruler", "textcat", "textcat_multilabel", "spancat",
    "lemmatizer", "trainable_lemmatizer", "experimental_coref",
)  # fmt: skip
PARSERS = ("parser", "senter", "sentencizer")
FROM_A_PARSE = ("DEP", "SENT_START", "IS_SENT_START")
"""What an attribute ruler's pattern may ask of a token that only a parser can answer."""
PROBE = "A 1."
LIBRARIES: dict[str, str | dict[str, str]] = {
    "spacy.zh.ChineseTokenizer": {"jieba": "jieba", "pkuseg": "spacy-pkuseg"},
    "spacy.ja.JapaneseTokenizer": "sudachipy",
    "spacy.ko.KoreanTokenizer": "natto-py",
    "spacy.th.ThaiTokenizer": "pythainlp",
    "spacy.vi.VietnameseTokenizer": "pyvi",
}


def load_universal(model: str) -> Language:
    """The pipeline of a package or a folder, such as one that comes along.

    Raises:
        StelaError: it cannot be loaded, or gives no word a part of speech.
    """
    with suppress(ImportError):  # load_pipeline says what is missing
        import_spacy()
        # What the configurations of the pipelines that come along name.
        import stela_ud.features
        import stela_ud.segmenter  # noqa: F401
    nlp = load_pipeline(model, NEVER_NEEDED, 'tagger "ud-spacy"')
    if not _needs_a_parse(nlp):
        for name in PARSERS:
            if name in nlp.pipe_names:
                nlp.remove_pipe(name)
    try:
        doc = nlp(PROBE)
    except ImportError as error:
        raise stela.StelaError(f'spaCy model "{model}" lacks a library: {error}') from None
    if not any(token.pos_ for token in doc if not token.is_space):
        raise stela.StelaError(
            f'spaCy model "{model}" gives no universal parts of speech.',
            "it needs a morphologizer, or a tagger and an attribute_ruler",
        )
    return nlp


def _needs_a_parse(nlp: Language) -> bool:
    """Whether a pattern of an attribute ruler asks for what only a parser finds."""
    rulers: list[Any] = [component for name, component in nlp.pipeline if name == "attribute_ruler"]
    return any(
        key.partition(":")[0].upper() in FROM_A_PARSE
        for ruler in rulers
        for rule in ruler.patterns
        for pattern in rule["patterns"]
        for token in pattern
        for key in token
    )


def segmenter_library(folder: Path) -> str:
    """The distribution that cuts a pipeline's text into words, where it is not spaCy itself.

    Raises:
        StelaError: the folder holds no configuration.
    """
    nlp = read_config(folder, folder.name).get("nlp")
    settings = nlp.get("tokenizer") if isinstance(nlp, dict) else None
    if not isinstance(settings, dict):
        return ""
    library = LIBRARIES.get(str(settings.get("@tokenizers")), "")
    return library if isinstance(library, str) else library.get(str(settings.get("segmenter", "")), "")
