"""Find the folders of a pair of HanLP models and load them, or say in one line why not.

HanLP answers a failure to load with ``ModuleNotFoundError: pkg_resources``, whatever it was, and downloads
what it does not find: so the files are looked at first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import stela_core as stela

if TYPE_CHECKING:
    from stela_ctb.fast import FastPair
    from stela_ctb.plain import PlainPair

PARTS = ("tok", "pos")
FILES = ("config.json", "vocabs.json", "model.pt")
CLASSES = {
    "tok": ("CharacterTokenizer", "TransformerTaggingTokenizer"),
    "pos": ("CharacterTagger", "TransformerTagger", "RNNTagger"),
}
"""Last names of the HanLP components that can stand in each part."""


PACKAGES = ("hanlp", "stela_ctb")
"""Whose components are loaded: a config names code that runs."""


class Folders(NamedTuple):
    """Where the two models are."""

    tokenizer: Path
    tagger: Path


def find_folders(model: str, shipped: Path) -> Folders:
    """The folders that ``model`` names; see :class:`stela_ctb.tagger.CtbParameters`.

    Raises:
        StelaError: there is no such folder or name, or it was not downloaded.
    """
    if model == "shipped" or Path(model).is_dir():
        folder = shipped if model == "shipped" else Path(model)
        return Folders(*(folder / part for part in PARTS))
    from stela_ctb.pretrained import downloaded_folders

    return Folders(*downloaded_folders(model))


def load_pair(folders: Folders, threads: int | None) -> FastPair | PlainPair:
    """The two models, ready to tag.

    Raises:
        StelaError: a file is missing, of the wrong kind, or cannot be read.
    """
    configs = [_checked(folder, part) for folder, part in zip(folders, PARTS, strict=True)]
    tokenizer, tagger = (_load(folder) for folder in folders)
    if all(config["classpath"].startswith("stela_ctb.") for config in configs):
        from stela_ctb.fast import FastPair

        return FastPair(tokenizer, tagger)
    from stela_ctb.plain import PlainPair

    return PlainPair(tokenizer, tagger, threads)


def _checked(folder: Path, part: str) -> dict[str, Any]:
    """The config of a model whose files are all there and whose class can do ``part``."""
    role = "tokenizer" if part == "tok" else "tagger"
    for name in FILES:
        if not (folder / name).is_file():
            raise stela.StelaError(
                f'tagger "ctb" finds no {role} in "{folder}": {name} is missing.',
                "a model is a folder with tok and pos, each as HanLP saves it",
            )
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        module, _, kind = str(config["classpath"]).rpartition(".")
    except (ValueError, KeyError, TypeError) as error:
        raise stela.StelaError(f'cannot read "{folder / "config.json"}": {error!r}') from None
    if kind not in CLASSES[part] or module.partition(".")[0] not in PACKAGES:
        raise stela.StelaError(
            f'"{folder}" holds a {kind}, which is no {role} that tagger "ctb" can use.',
            f"it takes {' or '.join(CLASSES[part])}",
        )
    if "transformer" in config:
        from stela_ctb.pretrained import require_transformer

        require_transformer(config["transformer"], folder)
    return config


def _load(folder: Path) -> Any:
    try:
        import hanlp

        return hanlp.load(str(folder), devices=-1, verbose=False)
    except ImportError as error:
        # Raised in place of any error, which HanLP prints to stderr as its context.
        cause = error.__context__ if error.name == "pkg_resources" and error.__context__ else error
        raise stela.StelaError(f'HanLP cannot load "{folder}": {cause!r}') from None
    except Exception as error:  # what the library and torch raise is of any kind
        raise stela.StelaError(f'HanLP cannot load "{folder}": {error!r}') from None
