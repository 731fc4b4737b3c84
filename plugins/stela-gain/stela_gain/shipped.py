"""The tables in this package, compressed."""

from __future__ import annotations

import lzma
from pathlib import Path

import stela_core as stela

TABLES = Path(__file__).parent / "tables"


def shipped_files(kind: str) -> list[Path]:
    """Tables by ``text``, or those by ``tags``."""
    return sorted(TABLES.glob(f"{kind}-*.json.xz"))


def shipped_table(kind: str, name: str | None, weighting: str) -> bytes:
    """The bytes of a table's file.

    Raises:
        StelaError: there is no table of this name.
    """
    path = TABLES / f"{kind}-{name}.json.xz"
    if name is None or not path.is_file():
        what, option = ("language", "--language") if kind == "text" else ("tagger", "--tagger")
        names = ", ".join(one.name.split(".")[0].removeprefix(f"{kind}-") for one in shipped_files(kind))
        raise stela.StelaError(
            f'weighting "{weighting}" ships no table for {what} "{name}".'
            if name is not None
            else f'weighting "{weighting}" has a table for each {what}, and none was named.',
            f"{option} {names}, or a table of your own with --lambda (stela lambda gains)",
        )
    return lzma.decompress(path.read_bytes())
