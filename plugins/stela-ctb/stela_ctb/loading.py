"""Find the folders of a pair of HanLP models and load them, or say in one line why not.

HanLP answers a failure to load with ``ModuleNotFoundError: pkg_resources``, whatever it was, and downloads
what it does not find: so the files are looked at first.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import stela_core as stela
from stela_core.api import folder_hash
from stela_ctb.names import CAUSAL, SHIPPED, is_published
from stela_ctb.safety import SAVED, no_code_of_others, read_config, require_safe_files

if TYPE_CHECKING:
    from stela_ctb.causal_fast import CausalPair
    from stela_ctb.fast import FastPair
    from stela_ctb.plain import PlainPair

PARTS = ("tok", "pos")
FILES = ("config.json", "vocabs.json", "model.pt")
FAST = "fast 1"
"""What makes tags of the shipped models' files: changes when the arithmetic or the features do."""
CAUSAL_FAST = "causal 1"
"""The same of models that look left only."""


class Folders(NamedTuple):
    """Folders of the two models."""

    tokenizer: Path
    tagger: Path


def find_folders(model: str, here: Path) -> Folders:
    """The folders, the shipped ones ``here``, that :class:`stela_ctb.tagger.CtbParameters` names.

    A name that HanLP publishes is never that of a folder: write ``./NAME`` for one.

    Raises:
        StelaError: there is no such folder or name, or it was not downloaded.
    """
    if model in {SHIPPED, CAUSAL}:
        folder = here / ("model" if model == SHIPPED else "causal")
        return Folders(*(folder / part for part in PARTS))
    if not is_published(model) and Path(model).is_dir():
        return Folders(*(Path(model) / part for part in PARTS))
    from stela_ctb.pretrained import downloaded_folders

    return Folders(*downloaded_folders(model))


def parts_of_fingerprint(folders: Folders) -> list[str]:
    """What decides the tags: the way they are computed, and the bytes of both models. Nothing is loaded.

    Raises:
        StelaError: a file is missing, or a config may not be loaded.
    """
    return [_identity(folders), *(folder_hash(folder) for folder in folders)]


def load_pair(folders: Folders, threads: int | None) -> FastPair | CausalPair | PlainPair:
    """The two models, ready to tag; all of their files are checked before any is handed to HanLP.

    Raises:
        StelaError: a file is missing, of the wrong kind, asks for what is not loaded, or cannot be read.
    """
    identity = _identity(folders)
    for folder in folders:
        require_safe_files(folder)
    tokenizer, tagger = (_load(folder) for folder in folders)
    if identity == CAUSAL_FAST:
        from stela_ctb.causal_fast import CausalPair

        return CausalPair(tokenizer, tagger)
    if identity == FAST:
        from stela_ctb.fast import FastPair

        return FastPair(tokenizer, tagger)
    from stela_ctb.plain import PlainPair

    return PlainPair(tokenizer, tagger, threads)


def _identity(folders: Folders) -> str:
    configs = [_checked(folder, part) for folder, part in zip(folders, PARTS, strict=True)]
    paths = [config["classpath"] for config in configs]
    if all(path.startswith("stela_ctb.components.") for path in paths):
        return FAST
    if all(path.startswith("stela_ctb.causal_components.") for path in paths):
        return CAUSAL_FAST
    return f"plain 1, {', '.join(f'{name} {version(name)}' for name in ('hanlp', 'transformers'))}"


def _checked(folder: Path, part: str) -> dict[str, Any]:
    """The config of a model whose files are all there and whose class can do ``part``."""
    for name in FILES:
        if not (folder / name).is_file():
            role = "tokenizer" if part == "tok" else "tagger"
            raise stela.StelaError(f'tagger "ctb" finds no {role} in "{folder}": {name} is missing.', SAVED)
    config = read_config(folder, part)
    if "transformer" in config:
        from stela_ctb.pretrained import require_transformer

        require_transformer(config["transformer"], folder)
    return config


def _load(folder: Path) -> Any:
    try:
        import hanlp

        with no_code_of_others():
            return hanlp.load(str(folder.resolve()), devices=-1, verbose=False)
    except ImportError as error:
        # Raised in place of any error, which HanLP prints to stderr as its context.
        cause = error.__context__ if error.name == "pkg_resources" and error.__context__ else error
        raise stela.StelaError(f'HanLP cannot load "{folder}": {cause!r}') from None
    except Exception as error:  # what the library and torch raise is of any kind
        raise stela.StelaError(f'HanLP cannot load "{folder}": {error!r}') from None
