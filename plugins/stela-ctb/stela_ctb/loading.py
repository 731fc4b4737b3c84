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
from stela_ctb.safety import PARTS, no_code_of_others, read_config, require_safe_files

HERE = Path(__file__).parent
SHIPPED = "shipped"
OWN = "stela_ctb.components."
"""What the class paths of the shipped models begin with."""
FAST = "fast 1"
"""What makes tags of the shipped models' files: changes when the arithmetic or the features do."""
TAGGERS = {f"{name}_ELECTRA_SMALL" for name in ("CTB9_POS", "CTB9_POS_RADICAL", "C863_POS", "PKU_POS")}
TOKENIZERS = {
    *(f"{name}_ELECTRA_SMALL_ZH" for name in ("COARSE", "FINE")),
    *(f"{name}_ELECTRA_BASE_CRF" for name in ("CTB9_TOK", "MSR_TOK")),
    *(f"CTB9_TOK_ELECTRA_{size}" for size in ("SMALL", "BASE")),
}
"""Models that HanLP publishes and this tagger can use: what a profile may ask for."""


def is_published(model: str) -> bool:
    """Whether it is ``TAGGER`` or ``TOKENIZER+TAGGER`` of the names above."""
    tokenizer, plus, tagger = model.rpartition("+")
    return tagger in TAGGERS and (not plus or tokenizer in TOKENIZERS)


def find_folders(model: str) -> list[Path]:
    """The folders of the tokenizer and the tagger that :class:`stela_ctb.tagger.CtbParameters` names.

    A name that HanLP publishes is never that of a folder: write ``./NAME`` for one.

    Raises:
        StelaError: there is no such folder or name, or it was not downloaded.
    """
    if model == SHIPPED or (not is_published(model) and Path(model).is_dir()):
        return [(HERE / "model" if model == SHIPPED else Path(model)) / part for part in PARTS]
    tokenizer, _, tagger = model.rpartition("+")
    wanted = list(zip(PARTS, (tokenizer or "COARSE_ELECTRA_SMALL_ZH", tagger), strict=True))
    addresses = [_address(*one) for one in wanted]
    for (part, name), address in zip(wanted, addresses, strict=True):
        if not _downloaded(address).is_dir():
            raise stela.StelaError(
                f'HanLP model "{name}" is not on this machine.',
                f'download it once: python -c "import hanlp; hanlp.load(hanlp.pretrained.{part}.{name})" '
                f"(from {address})",
            )
    return [_downloaded(address) for address in addresses]


def way_of(folders: list[Path]) -> str:
    """What decides the tags, but for the models' bytes: the arithmetic, or versions of libraries.

    Raises:
        StelaError: a file is missing, or a config may not be loaded.
    """
    configs = [read_config(folder, part) for folder, part in zip(folders, PARTS, strict=True)]
    for folder, config in zip(folders, configs, strict=True):
        hint = _missing(config["transformer"]) if "transformer" in config else None
        if hint is not None:
            message = f'the model in "{folder}" needs transformer "{config["transformer"]}"'
            raise stela.StelaError(f"{message}, which is not on this machine.", hint)
    if all(config["classpath"].startswith(OWN) for config in configs):
        return FAST
    return f"plain 1, {', '.join(f'{name} {version(name)}' for name in ('hanlp', 'transformers'))}"


def load_pair(folders: list[Path]) -> list[Any]:
    """Tokenizer and tagger; all of their files are checked before any is loaded.

    Raises:
        StelaError: a file is missing, of the wrong kind, asks for what is not loaded, or cannot be read.
    """
    own = way_of(folders) == FAST
    for folder in folders:
        require_safe_files(folder)
    return [_load(folder, own) for folder in folders]


def _load(folder: Path, own: bool) -> Any:
    try:
        if own:
            from stela_ctb.shipped import read_network

            return read_network(folder)
        import hanlp

        with no_code_of_others():
            return hanlp.load(str(folder.resolve()), devices=-1, verbose=False)
    except Exception as error:  # what the library and torch raise is of any kind
        # One of pkg_resources is raised in place of any other, which HanLP prints to stderr as its context.
        hidden = isinstance(error, ImportError) and error.name == "pkg_resources" and error.__context__
        raise stela.StelaError(f'HanLP cannot load "{folder}": {hidden or error!r}') from None


def _address(part: str, name: str) -> str:
    """Address from which HanLP fetches ``name`` of ``hanlp.pretrained.tok`` or ``pos``."""
    module = import_module(f"hanlp.pretrained.{part}")
    known = {key: str(value) for key, value in vars(module).items() if str(value).endswith(".zip")}
    if name in known:
        return known[name]
    close = get_close_matches(name.upper(), [*known, SHIPPED.upper()], n=1)
    said = (
        f'did you mean "{close[0].replace("SHIPPED", SHIPPED)}"?'
        if close
        else "write ctb for the shipped one"
    )
    raise stela.StelaError(
        f'tagger "ctb" has no model "{name}": no such folder, nor a name in hanlp.pretrained.{part}.', said
    )


def _missing(transformer: str) -> str | None:
    """How to download a transformer that a model builds on, which HanLP would do; ``None`` if it is here."""
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
