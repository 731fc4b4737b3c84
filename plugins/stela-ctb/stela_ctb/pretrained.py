"""HanLP's pretrained models by name, as far as the user has downloaded them: nothing is fetched here."""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import stela_core as stela
from stela_ctb.names import TOKENIZER


def downloaded_folders(model: str) -> tuple[Path, Path]:
    """Folders of ``TAGGER`` or ``TOKENIZER+TAGGER``, names in hanlp.pretrained.

    Raises:
        StelaError: HanLP knows no such name, or the model was not downloaded.
    """
    tokenizer, plus, tagger = model.rpartition("+")
    wanted = (("tok", tokenizer if plus else TOKENIZER), ("pos", tagger))
    addresses = [_address(part, name) for part, name in wanted]
    folders = [_local(address) for address in addresses]
    for folder, address, (part, name) in zip(folders, addresses, wanted, strict=True):
        if not folder.is_dir():
            raise stela.StelaError(
                f'HanLP model "{name}" is not on this machine.',
                f'download it once: python -c "import hanlp; hanlp.load(hanlp.pretrained.{part}.{name})" '
                f"(from {address})",
            )
    return folders[0], folders[1]


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


def require_transformer(name: str, folder: Path) -> None:
    """Check that the transformer that the model in ``folder`` builds on is here: HanLP would fetch it.

    Raises:
        StelaError: it was not downloaded.
    """
    from hanlp.layers.transformers.resource import tokenizer_mirrors

    if Path(name).is_dir():
        return
    address = tokenizer_mirrors.get(name)
    if address is not None:
        if not _local(address).is_dir():
            raise stela.StelaError(
                f'the model in "{folder}" needs transformer "{name}", which is not on this machine.',
                f'download it once: python -c "from hanlp.utils.io_util import get_resource; '
                f"get_resource('{address}')\"",
            )
        return
    from transformers.utils.hub import cached_file

    try:
        cached_file(name, "config.json", local_files_only=True)
    except (OSError, ValueError):
        raise stela.StelaError(
            f'the model in "{folder}" needs transformer "{name}", which is not on this machine.',
            "if you trust it, download it once with hf download",
        ) from None


def _local(address: str) -> Path:
    """Folder into which HanLP unpacks what it downloads from ``address``."""
    from hanlp.utils.io_util import hanlp_home, path_from_url

    return Path(os.path.splitext(path_from_url(address, hanlp_home()))[0])
