"""Construct a Stanza pipeline from files that are here: a folder of the user's, or what Stanza downloaded."""

from __future__ import annotations

import json
import os
import pickle
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stela_core as stela

if TYPE_CHECKING:
    import stanza

KINDS = {
    "tokenizer": "tokenize_model_path",
    "tagger": "pos_model_path",
    "mwt": "mwt_model_path",
    "pretrain": "pos_pretrain_path",
    "forward": "pos_forward_charlm_path",
    "backward": "pos_backward_charlm_path",
}
"""A word in a file's name to the option of ``stanza.Pipeline`` that takes it."""
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-han[st])?")
"""Stanza's codes of languages: ``en``, ``grc``, ``zh-hans``."""


def is_language(model: str) -> bool:
    """Whether it has the form of a code of Stanza's, and so is never looked for as a folder."""
    return LANGUAGE.fullmatch(model) is not None


def load_stanza(model: str) -> tuple[str, stanza.Pipeline]:
    """Language and pipeline (tokenize, mwt where there is one, pos) of a language code or a folder.

    The files of a folder are checked before Stanza reads any of them: see :func:`require_safe`.

    Raises:
        MissingLibraryError: Stanza is not installed.
        StelaError: its models are not here, or cannot be read.
    """
    try:
        import stanza
    except ImportError:
        raise stela.MissingLibraryError("Stanza", 'tagger "ud-stanza"', '"stela-ud[stanza]"') from None
    if not is_language(model) and Path(model).is_dir():
        language, options = options_of_folder(Path(model))
        for file in files_among(options):
            require_safe(file)
        # Stanza wants a list of what can be downloaded, even where nothing is.
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "resources.json").write_text("{}", encoding="utf-8")
            return language, _construct(stanza, model, language, dir=folder, **options)
    if "/" in model or "\\" in model:
        raise stela.StelaError(f'there is no folder "{model}".', "name a language such as en, or a folder")
    listing = _resources() / "resources.json"
    known: dict[str, Any] = json.loads(listing.read_text(encoding="utf-8")) if listing.is_file() else {}
    language = known.get(model, {}).get("alias", model)
    if language not in known or not (_resources() / language).is_dir():
        raise _not_downloaded(model)
    # Stanza adds mwt by itself where the language has multi-word tokens.
    return language, _construct(stanza, model, language, dir=str(_resources()), processors="tokenize,pos")


def options_of_folder(folder: Path) -> tuple[str, dict[str, object]]:
    """Language and options for the models of a folder.

    It holds one ``*tokenizer*.pt`` and one ``*tagger*.pt``, and where the language has multi-word tokens
    a ``*mwt*.pt``. Names begin with the language, as Stanza's training makes them
    (``de_gsd_nocharlm_tagger.pt``). ``*pretrain*.pt`` holds word vectors, ``*forward*.pt`` and
    ``*backward*.pt`` character models.

    Raises:
        StelaError: a model is missing, or there are two of a kind.
    """
    options: dict[str, object] = {}
    language = ""
    for kind, option in KINDS.items():
        files = sorted(folder.glob(f"*{kind}*.pt"))
        if len(files) > 1:
            raise stela.StelaError(
                f'"{folder}" holds {len(files)} files *{kind}*.pt.', "keep the models of one pipeline there"
            )
        if not files and kind in {"tokenizer", "tagger"}:
            raise stela.StelaError(
                f'"{folder}" holds no file *{kind}*.pt.', "it needs a tokenizer and a tagger of Stanza"
            )
        if files:
            options[option] = str(files[0])
        if kind == "tokenizer":
            language = files[0].name.split("_")[0]
    steps = "tokenize,mwt,pos" if "mwt_model_path" in options else "tokenize,pos"
    return language, {**options, "processors": steps, "allow_unknown_language": True}


def files_among(options: Mapping[str, object]) -> list[Path]:
    """The model files that options of a pipeline name, by name."""
    paths = (Path(str(value)) for value in options.values() if str(value).endswith(".pt"))
    return sorted({path for path in paths if path.is_file()}, key=lambda path: path.name)


def require_safe(file: Path) -> None:
    """Check a model file of a folder: only numbers and words, and no further model named in it.

    Some versions of Stanza read word vectors as any pickle where they are not plain data.

    Raises:
        StelaError: it holds other objects, or names a transformer or another file that Stanza would load.
    """
    import torch

    refused = f'cannot load Stanza\'s model "{file}":'
    hint = "name a folder of models that Stanza saved"
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # what torch raises on a broken or hostile file is of any kind
        said = next(iter(str(error).splitlines()), type(error).__name__)
        if isinstance(error, pickle.UnpicklingError):  # torch says how to load it all the same
            said = "it is not a file of plain tensors."
        raise stela.StelaError(f"{refused} {said[:160]}", hint) from None
    if not isinstance(content, dict):
        raise stela.StelaError(f"{refused} it does not hold a model.", hint)
    config = content.get("config")
    config = config if isinstance(config, dict) else {}
    # The tagger's character models are given by option; those of a tokenizer are read from where it says.
    tags = "tagger" in file.name
    for name in ("bert_model", *(() if tags else ("charlm_forward_file", "charlm_backward_file"))):
        if config.get(name):
            raise stela.StelaError(
                f"{refused} it builds on {str(config[name])[:80]!r} ({name}), which is not loaded.",
                "train it without, or download the language from Stanza and name it by its code",
            )


def _construct(library: Any, model: str, language: str, **options: Any) -> stanza.Pipeline:
    try:
        return library.Pipeline(
            language, download_method=None, use_gpu=False, logging_level="ERROR", **options
        )
    except FileNotFoundError as error:
        raise _not_downloaded(model, "mwt," if "mwt" in str(error) else "") from None
    except (OSError, KeyError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        said = str(error) or type(error).__name__
        raise stela.StelaError(f'cannot load Stanza\'s models "{model}": {said[:200]}') from None


def _resources() -> Path:
    """Folder in which Stanza keeps what it downloaded: ``STANZA_RESOURCES_DIR``, else in the user's home."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


def _not_downloaded(language: str, also: str = "") -> stela.StelaError:
    """What to say where Stanza has no models of a language."""
    said = f'Stanza\'s models for "{language}" are not in {_resources()}.'
    if not is_language(language):
        return stela.StelaError(said, "name a language by its code, such as en, or a folder")
    command = f"import stanza; stanza.download('{language}', processors='tokenize,{also}pos')"
    return stela.StelaError(said, f'python -c "{command}"')
