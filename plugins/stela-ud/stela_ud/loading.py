"""Load a pipeline with all that its universal parts of speech need, and nothing else that is slow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_spacy.imports import import_spacy
from stela_spacy.loading import load_pipeline
from stela_spacy.safety import read_config

import stela_core as stela
from stela_core.api import own_process

if TYPE_CHECKING:
    from spacy.language import Language
    from stela_spacy.tagger import LastTags

OWNER = 'tagger "ud-spacy"'
NEVER_NEEDED = (
    "ner", "entity_ruler", "entity_linker", "span_ruler", "textcat", "textcat_multilabel", "spancat",
    "lemmatizer", "trainable_lemmatizer", "experimental_coref",
)  # fmt: skip
PARSERS = ("parser", "senter", "sentencizer")
FROM_A_PARSE = ("DEP", "SENT_START", "IS_SENT_START")
"""What an attribute ruler's pattern may ask of a token that only a parser can answer."""
PROBE = "A 1."


def load_shipped(folder: Path) -> Language:
    """A pipeline that comes along."""
    stela_features()
    return load_pipeline(str(folder), (), OWNER)


def stela_features() -> None:
    """Register what the configurations of the shipped pipelines name; without spaCy, do nothing."""
    try:
        import_spacy(bool(own_process))
    except ImportError:
        return
    import stela_ud.features
    import stela_ud.segmenter  # noqa: F401


def fast_path(nlp: Language) -> LastTags:
    """The fast path of a shipped pipeline."""
    from stela_spacy.tails import TailTagger

    from stela_ud.chinese_tails import ChineseTails
    from stela_ud.segmenter import Segmenter

    morphologizer: Any = nlp.get_pipe("morphologizer")
    labels = [label.removeprefix("POS=") for label in morphologizer.labels]
    if isinstance(nlp.tokenizer, Segmenter):
        return ChineseTails(nlp, "morphologizer", labels)
    return TailTagger(nlp, "morphologizer", labels)


def load_any(model: str) -> Language:
    """The pipeline of a package or a folder.

    Raises:
        StelaError: it cannot be loaded, or gives no word a part of speech.
    """
    stela_features()
    nlp = load_pipeline(model, NEVER_NEEDED, OWNER)
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
    return any(
        key.partition(":")[0].upper() in FROM_A_PARSE
        for name, component in nlp.pipeline
        if name == "attribute_ruler"
        for rule in _patterns(component)
        for pattern in rule["patterns"]
        for token in pattern
        for key in token
    )


def _patterns(ruler: Any) -> list[Any]:
    return list(ruler.patterns)


LIBRARIES: dict[str, str | dict[str, str]] = {
    "spacy.zh.ChineseTokenizer": {"jieba": "jieba", "pkuseg": "spacy-pkuseg"},
    "spacy.ja.JapaneseTokenizer": "sudachipy",
    "spacy.ko.KoreanTokenizer": "natto-py",
    "spacy.th.ThaiTokenizer": "pythainlp",
    "spacy.vi.VietnameseTokenizer": "pyvi",
}


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
