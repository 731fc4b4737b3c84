"""What of a folder that HanLP saved may be loaded: its own classes, no files by name, and no pickles.

HanLP imports any class that a config names, and reads pickles from files that it names.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import stela_core as stela
from stela_core.api import parse_json, read_bounded

CONFIG_LIMIT, VOCABS_LIMIT = 1 << 20, 64 << 20
SAVED = "a model is a folder with tok and pos, each as HanLP saves it"
PARTS = {"tok": "tokenizer", "pos": "tagger"}
FILES = ("config.json", "vocabs.json", "model.pt")
CLASSES = {
    "tok": (
        "stela_ctb.components.CharacterTokenizer",
        "hanlp.components.tokenizers.transformer.TransformerTaggingTokenizer",
    ),
    "pos": (
        "stela_ctb.components.CharacterTagger",
        "hanlp.components.taggers.transformers.transformer_tagger.TransformerTagger",
        "hanlp.components.taggers.rnn_tagger.RNNTagger",
    ),
}
"""The components that can stand in each part."""
NESTED = {
    *(f"hanlp.common.dataset.{name}SamplerBuilder" for name in ("Sorting", "KMeans")),
    *(f"hanlp.common.transform.Normalize{name}" for name in ("Character", "Token")),
    *(f"hanlp.layers.embeddings.char_{name.lower()}.Char{name}Embedding" for name in ("CNN", "RNN")),
    "hanlp.layers.embeddings.embedding.EmbeddingList",
    "hanlp.layers.embeddings.word2vec.Word2VecEmbedding",
    "hanlp.layers.scalar_mix.ScalarMixWithDropoutBuilder",
}
"""Classes that settings may name: none of them reads a file, but for what the checks below refuse."""
VOCABULARIES = {
    f"hanlp.common.vocab.{kind}"
    for kind in ("Vocab", "CustomVocab", "LowercaseVocab", "VocabWithNone", "VocabWithFrequency")
}
DELIMITERS = {"delimiter", "sent_delimiter"}
WORD = re.compile(r"[^/\\~:\x00]{0,100}")
FILE_KEY = re.compile(r"(?i)embed|.*(path|file|dir|url|class_?path).*")
MAPPER = re.compile(r"https://file\.hankcs\.com/(?!.*\.\.)[\w./-]+")
"""HanLP's own tables of characters, which its published models name."""


def read_config(folder: Path, part: str) -> dict[str, Any]:
    """The config of a model, whose class and settings can do ``part`` and name nothing else that runs.

    Raises:
        StelaError: a file is missing or no JSON, or names what is not loaded.
    """
    for name in FILES:
        if not (folder / name).is_file():
            message = f'tagger "ctb" finds no {PARTS[part]} in "{folder}": {name} is missing.'
            raise stela.StelaError(message, SAVED)
    if (folder / "meta.json").exists():
        raise stela.StelaError(
            f'"{folder}" holds a meta.json, which HanLP reads in place of config.json.',
            "delete it, or save the model with HanLP 2.1",
        )
    config = _read(folder / "config.json", CONFIG_LIMIT)
    classpath = config.get("classpath")
    if not isinstance(classpath, str):
        raise stela.StelaError(f'cannot read "{folder / "config.json"}": it names no classpath.', SAVED)
    if classpath not in CLASSES[part]:
        *others, kind = (path.rpartition(".")[2] for path in (*CLASSES[part], classpath))
        raise stela.StelaError(
            f'"{folder}" holds a {kind}, which is not a {PARTS[part]} that tagger "ctb" can use.',
            f"it takes {' or '.join(others)}",
        )
    for key, value in config.items():
        if key not in {"classpath", "transformer"}:
            _check(value, key, key, folder)
    if not isinstance(config.get("transformer", ""), str):
        raise _refused(folder, "transformer", config["transformer"])
    return config


def require_safe_files(folder: Path) -> None:
    """Check the vocabularies and the weights of a model.

    Raises:
        StelaError: a vocabulary is of a class that is not loaded, or the weights are not plain tensors.
    """
    _check_vocabularies(_read(folder / "vocabs.json", VOCABS_LIMIT), folder)
    import torch

    file = folder / "model.pt"
    try:
        weights = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # what torch raises on a broken or hostile file is of any kind
        said = next(iter(str(error).splitlines()), type(error).__name__)
        if isinstance(error, pickle.UnpicklingError):  # torch says how to load it all the same
            said = "it is not a file of plain tensors."
        raise stela.StelaError(f'cannot load weights "{file}": {said[:120]}', SAVED) from None
    if not isinstance(weights, Mapping) or not all(isinstance(w, torch.Tensor) for w in weights.values()):
        raise stela.StelaError(f'cannot load weights "{file}": they are not tensors by name.', SAVED)


@contextmanager
def no_code_of_others() -> Iterator[None]:
    """Inside the block, transformers refuses a model's own code: else it asks on standard input."""
    from transformers import dynamic_module_utils

    before = dynamic_module_utils.TIME_OUT_REMOTE_CODE
    dynamic_module_utils.TIME_OUT_REMOTE_CODE = 0
    try:
        yield
    finally:
        dynamic_module_utils.TIME_OUT_REMOTE_CODE = before


def _read(file: Path, limit: int) -> dict[str, Any]:
    what = f'cannot read "{file}": it'
    content = parse_json(read_bounded(file, limit, what, SAVED), what, SAVED)
    if not isinstance(content, dict):
        raise stela.StelaError(f"{what} is not a JSON object.", SAVED)
    return content


def _check(value: Any, key: str, where: str, folder: Path) -> None:
    """Settings at any depth: classes of the list, and no file or address but HanLP's own tables."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name == "classpath":
                if not isinstance(inner, str) or inner not in NESTED:
                    raise _refused(folder, f"{where}.classpath", inner)
            elif key != "mapper":  # a table of characters
                _check(inner, name, f"{where}.{name}", folder)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, key, where, folder)
    elif isinstance(value, str):
        plain = WORD.fullmatch(value) and not FILE_KEY.fullmatch(key)
        if not (plain or key in DELIMITERS or (key == "mapper" and MAPPER.fullmatch(value))):
            raise _refused(folder, where, value)


def _check_vocabularies(vocabularies: Mapping[str, Any], folder: Path) -> None:
    for name, content in vocabularies.items():
        if not isinstance(content, Mapping):
            raise _refused(folder, f"vocabs.{name}", content)
        if "idx_to_token" not in content:
            _check_vocabularies(content, folder)
        elif content.get("type") and str(content["type"]) not in VOCABULARIES:
            raise _refused(folder, f"vocabs.{name}.type", content["type"])


def _refused(folder: Path, where: str, value: Any) -> stela.StelaError:
    return stela.StelaError(
        f'the model in "{folder}" asks for {str(value)[:80]!r} ({where}), which is not loaded.',
        "a model may name only HanLP's own classes, and no files",
    )
