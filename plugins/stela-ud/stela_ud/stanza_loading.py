"""Construct a Stanza pipeline from files that are here; nothing is downloaded."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stela_core as stela
from stela_ud.stanza_files import not_downloaded, options_of_folder, resources_folder

if TYPE_CHECKING:
    import stanza  # type: ignore[import-untyped]

OWNER = 'tagger "ud-stanza"'


def load_stanza(model: str) -> tuple[str, stanza.Pipeline]:
    """Language and pipeline (tokenize, mwt where there is one, pos) of a language code or a folder.

    Raises:
        MissingLibraryError: Stanza is not installed.
        StelaError: its models are not here, or cannot be read.
    """
    try:
        import stanza
    except ImportError:
        raise stela.MissingLibraryError("Stanza", OWNER, '"stela-ud[stanza]"') from None
    if Path(model).is_dir():
        language, options = options_of_folder(Path(model))
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


def files_of(pipeline: stanza.Pipeline) -> list[Path]:
    """All model files that a pipeline was loaded from."""
    paths = (Path(value) for value in pipeline.config.values() if str(value).endswith(".pt"))
    return sorted({path for path in paths if path.is_file()}, key=lambda path: path.name)
