"""Construct a Stanza pipeline from files that are here; nothing is downloaded."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stela_core as stela
from stela_ud.stanza_files import (
    files_among,
    is_language,
    not_downloaded,
    options_of_folder,
    resources_folder,
)

if TYPE_CHECKING:
    import stanza

OWNER = 'tagger "ud-stanza"'


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
        raise stela.MissingLibraryError("Stanza", OWNER, '"stela-ud[stanza]"') from None
    if not is_language(model) and Path(model).is_dir():
        language, options = options_of_folder(Path(model))
        for file in files_among(options):
            require_safe(file)
        # Stanza wants a list of what can be downloaded, even where nothing is.
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "resources.json").write_text("{}", encoding="utf-8")
            return language, _construct(stanza, model, language, dir=folder, **options)
    folder_of_all = resources_folder()
    listing = folder_of_all / "resources.json"
    if "/" in model or "\\" in model:
        raise stela.StelaError(f'there is no folder "{model}".', "name a language such as en, or a folder")
    if not listing.is_file():
        raise not_downloaded(model)
    known: dict[str, Any] = json.loads(listing.read_text(encoding="utf-8"))
    language = known.get(model, {}).get("alias", model)
    if language not in known or not (folder_of_all / language).is_dir():
        raise not_downloaded(model)
    # Stanza adds mwt by itself where the language has multi-word tokens.
    return language, _construct(stanza, model, language, dir=str(folder_of_all), processors="tokenize,pos")


def _construct(library: Any, model: str, language: str, **options: Any) -> stanza.Pipeline:
    try:
        return library.Pipeline(
            language, download_method=None, use_gpu=False, logging_level="ERROR", **options
        )
    except FileNotFoundError as error:
        also = "mwt," if "mwt" in str(error) else ""
        raise not_downloaded(model, also) from None
    except (OSError, KeyError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        said = str(error) or type(error).__name__
        raise stela.StelaError(f'cannot load Stanza\'s models "{model}": {said[:200]}') from None


def require_safe(file: Path) -> None:
    """Check a model file of a folder: only numbers and words, and no further model named in it.

    Some versions of Stanza read word vectors as any pickle where they are not plain data.

    Raises:
        StelaError: it holds other objects, or names a transformer or another file that Stanza would load.
    """
    import torch

    refused = f'cannot load Stanza\'s model "{file}":'
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # what torch raises on a broken or hostile file is of any kind
        said = next(iter(str(error).splitlines()), type(error).__name__)
        if isinstance(error, pickle.UnpicklingError):  # torch says how to load it all the same
            said = "it is not a file of plain tensors."
        raise stela.StelaError(
            f"{refused} {said[:160]}", "name a folder of models that Stanza saved"
        ) from None
    if not isinstance(content, dict):
        raise stela.StelaError(
            f"{refused} it does not hold a model.", "name a folder of models that Stanza saved"
        )
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


def files_of(pipeline: stanza.Pipeline) -> list[Path]:
    """All model files that a pipeline was loaded from."""
    return files_among(pipeline.config)
