"""Find the folders of a tokenizer and a tagger and load them, or say in one line why not.

HanLP answers a failure to load with ``ModuleNotFoundError: pkg_resources``, whatever it was, and downloads
what it does not find: so the files are looked at first.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import stela_core as stela
from stela_core.api import folder_hash
from stela_ctb.names import OWN, PARTS, SHIPPED, TOKENIZER, is_published
from stela_ctb.safety import SAVED, no_code_of_others, read_config, require_safe_files

HERE = Path(__file__).parent
FILES = ("config.json", "vocabs.json", "model.pt")
FAST = "fast 1"
"""What makes tags of the shipped models' files: changes when the arithmetic or the features do."""


def find_folders(model: str) -> list[Path]:
    """The folders of the tokenizer and the tagger that :class:`stela_ctb.tagger.CtbParameters` names.

    A name that HanLP publishes is never that of a folder: write ``./NAME`` for one.

    Raises:
        StelaError: there is no such folder or name, or it was not downloaded.
    """
    if model == SHIPPED or (not is_published(model) and Path(model).is_dir()):
        folder = HERE / "model" if model == SHIPPED else Path(model)
        return [folder / part for part in PARTS]
    tokenizer, _, tagger = model.rpartition("+")
    wanted = list(zip(PARTS, (tokenizer or TOKENIZER, tagger), strict=True))
    folders = []
    for (part, name), address in zip(wanted, [_address(*one) for one in wanted], strict=True):
        folders.append(_downloaded(address))
        if not folders[-1].is_dir():
            raise stela.StelaError(
                f'HanLP model "{name}" is not on this machine.',
                f'download it once: python -c "import hanlp; hanlp.load(hanlp.pretrained.{part}.{name})" '
                f"(from {address})",
            )
    return folders


def way_of(folders: list[Path]) -> str:
    """What decides the tags, but for the models' bytes: the arithmetic, or versions of libraries.

    Raises:
        StelaError: a file is missing, or a config may not be loaded.
    """
    configs = [_checked(folder, part) for folder, part in zip(folders, PARTS, strict=True)]
    if all(config["classpath"].startswith(OWN) for config in configs):
        return FAST
    return f"plain 1, {', '.join(f'{name} {version(name)}' for name in ('hanlp', 'transformers'))}"


def parts_of_fingerprint(folders: list[Path]) -> list[str]:
    """What decides the tags: the way they are computed, and the bytes of both models. Nothing is loaded."""
    return [way_of(folders), *(folder_hash(folder) for folder in folders)]


def load(folder: Path, part: str) -> Any:
    """The model of a folder whose config was checked.

    Raises:
        StelaError: a file asks for what is not loaded, or cannot be read.
    """
    own = read_config(folder, part)["classpath"].removeprefix(OWN)
    try:
        if own in ("CharacterTokenizer", "CharacterTagger"):
            return getattr(import_module("stela_ctb.components"), own).read(folder)
        import hanlp

        with no_code_of_others():
            return hanlp.load(str(folder.resolve()), devices=-1, verbose=False)
    except ImportError as error:
        # Raised in place of any error, which HanLP prints to stderr as its context.
        cause = error.__context__ if error.name == "pkg_resources" and error.__context__ else error
        raise stela.StelaError(f'HanLP cannot load "{folder}": {cause!r}') from None
    except Exception as error:  # what the library and torch raise is of any kind
        raise stela.StelaError(f'HanLP cannot load "{folder}": {error!r}') from None


def load_pair(folders: list[Path]) -> list[Any]:
    """Tokenizer and tagger; all of their files are checked before any is loaded."""
    way_of(folders)
    for folder in folders:
        require_safe_files(folder)
    return [load(folder, part) for folder, part in zip(folders, PARTS, strict=True)]


def _checked(folder: Path, part: str) -> dict[str, Any]:
    """The config of a model whose files and whose transformer are there and whose class can do ``part``."""
    for name in FILES:
        if not (folder / name).is_file():
            role = "tokenizer" if part == "tok" else "tagger"
            raise stela.StelaError(f'tagger "ctb" finds no {role} in "{folder}": {name} is missing.', SAVED)
    config = read_config(folder, part)
    if "transformer" in config and (hint := _missing(config["transformer"])) is not None:
        raise stela.StelaError(
            f'the model in "{folder}" needs transformer "{config["transformer"]}", which is not on this machine.',
            hint,
        )
    return config


def _address(part: str, name: str) -> str:
    """Address from which HanLP fetches ``name`` of ``hanlp.pretrained.tok`` or ``pos``."""
    module = import_module(f"hanlp.pretrained.{part}")
    known = {key: value for key, value in vars(module).items() if str(value).endswith(".zip")}
    if name not in known:
        close = get_close_matches(name.upper(), [*known, "SHIPPED"], n=1)
        raise stela.StelaError(
            f'tagger "ctb" has no model "{name}": no such folder, nor a name in hanlp.pretrained.{part}.',
            f'did you mean "{close[0].replace("SHIPPED", "shipped")}"?'
            if close
            else "write ctb for the shipped one, or CTB9_POS_ELECTRA_SMALL",
        )
    return str(known[name])


def _missing(transformer: str) -> str | None:
    """How to download a transformer that a model builds on, and that HanLP would fetch; None if it is here."""
    from hanlp.layers.transformers.resource import tokenizer_mirrors
    from transformers.utils.hub import cached_file

    address = tokenizer_mirrors.get(transformer)
    if Path(transformer).is_dir() or (address is not None and _downloaded(address).is_dir()):
        return None
    if address is not None:
        call = f"from hanlp.utils.io_util import get_resource; get_resource('{address}')"
        return f'download it once: python -c "{call}"'
    try:
        cached_file(transformer, "config.json", local_files_only=True)
    except (OSError, ValueError):
        return "if you trust it, download it once with hf download"
    return None


def _downloaded(address: str) -> Path:
    """Folder into which HanLP unpacks what it downloads from ``address``."""
    from hanlp.utils.io_util import hanlp_home, path_from_url

    return Path(os.path.splitext(path_from_url(address, hanlp_home()))[0])
