"""Which files a Stanza pipeline is loaded from: a folder of the user's, or what Stanza downloaded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import stela_core as stela

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


def resources_folder() -> Path:
    """Folder in which Stanza keeps what it downloaded: ``STANZA_RESOURCES_DIR``, else in the user's home."""
    return Path(os.environ.get("STANZA_RESOURCES_DIR") or Path.home() / "stanza_resources")


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
    parts = ["tokenize", *(["mwt"] if "mwt_model_path" in options else []), "pos"]
    return language, {**options, "processors": ",".join(parts), "allow_unknown_language": True}


def files_among(options: Mapping[str, object]) -> list[Path]:
    """The model files that options of a pipeline name, by name."""
    paths = (Path(str(value)) for value in options.values() if str(value).endswith(".pt"))
    return sorted({path for path in paths if path.is_file()}, key=lambda path: path.name)


def not_downloaded(language: str, also: str = "") -> stela.StelaError:
    """What to say where Stanza has no models of a language."""
    parts = f"tokenize,{also}pos"
    if not is_language(language):
        return stela.StelaError(
            f'Stanza\'s models for "{language}" are not in {resources_folder()}.',
            "name a language by its code, such as en, or a folder",
        )
    return stela.StelaError(
        f'Stanza\'s models for "{language}" are not in {resources_folder()}.',
        f"python -c \"import stanza; stanza.download('{language}', processors='{parts}')\"",
    )
