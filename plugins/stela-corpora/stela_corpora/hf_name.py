"""``hf:NAME[:CONFIG][@SPLIT]``: the name of a Hugging Face dataset, or of a folder or file of data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from stela_core import StelaError
from stela_corpora.corpus import file_stem

PREFIX = "hf:"
SYNTAX = "write hf:NAME[:CONFIG][@SPLIT], such as hf:wikimedia/wikipedia:20231101.en, or hf:FOLDER"

FORMATS = {
    ".parquet": "parquet", ".jsonl": "json", ".json": "json", ".csv": "csv", ".txt": "text", ".arrow": "arrow"
}  # fmt: skip
"""The loader of ``datasets`` for a file, by its ending."""

ON_THE_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?")


@dataclass(frozen=True)
class HfName:
    """What to load."""

    source: str
    """Name on the Hub, or a path."""
    config: str | None
    split: str | None
    is_local: bool

    @property
    def label(self) -> str:
        """Name that errors call it by."""
        return (
            self.source
            + (f":{self.config}" if self.config else "")
            + (f"@{self.split}" if self.split else "")
        )

    @property
    def corpus(self) -> str:
        """Name of the corpus in a table: NAME/CONFIG, and the split where one was chosen."""
        name = file_stem(Path(self.source).resolve()) if self.is_local else self.source
        whole = name + (f"/{self.config}" if self.config else "") + (f"@{self.split}" if self.split else "")
        return re.sub(r"[^\w.@/-]", "_", whole)

    @property
    def loader(self) -> str | None:
        """The loader of a single file, ``None`` for anything else.

        Raises:
            StelaError: the file's ending tells of no loader, or a configuration of it is asked for.
        """
        path = Path(self.source)
        if not (self.is_local and path.is_file()):
            return None
        if self.config is not None:
            raise StelaError(f'"{path}" is one file: it has no configuration "{self.config}".', SYNTAX)
        endings = [suffix for suffix in path.suffixes if suffix in FORMATS]
        if not endings:
            raise StelaError(f'"{path}" is not a file of data.', f"endings known are {', '.join(FORMATS)}")
        return FORMATS[endings[-1]]


def parse_hf_name(spec: str) -> HfName:
    """Take ``hf:NAME[:CONFIG][@SPLIT]`` apart; what exists on disk is taken from there.

    Raises:
        StelaError: it is not such a name, or looks like a path that does not exist.
    """
    rest = spec.removeprefix(PREFIX)
    if rest and _exists(rest):
        return HfName(_path(rest), None, None, True)
    name, at, split = rest.rpartition("@") if "@" in rest else (rest, "", "")
    colon = config = ""
    if name and not _exists(name) and ":" in name:
        name, colon, config = name.rpartition(":")
    if not name or (at and not split) or (colon and not config):
        raise StelaError(f'"{spec}" names no dataset.', SYNTAX)
    if _exists(name):
        return HfName(_path(name), config or None, split or None, True)
    if name.startswith((".", "/", "~")) or Path(name).suffix in FORMATS:
        raise StelaError(f'"{name}" does not exist.', "check the path")
    if not ON_THE_HUB.fullmatch(name):
        raise StelaError(f'"{spec}" names no dataset.', SYNTAX)
    return HfName(name, config or None, split or None, False)


def _path(name: str) -> str:
    return str(Path(name).expanduser())


def _exists(name: str) -> bool:
    try:
        return Path(name).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # too long, no home, a NUL
        return False
