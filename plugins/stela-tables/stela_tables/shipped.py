"""The tables that a plugin ships, compressed, a file for each language or tagger."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

from stela_core import StelaError


@dataclass(frozen=True)
class ShippedTables:
    """Files ``KIND-NAME.json.xz`` of a folder: ``text-en`` is for English, ``tags-penn`` for a tagger."""

    folder: Path
    command: str
    """Which makes others, such as ``stela lambda learn``."""

    def files(self, kind: str) -> list[Path]:
        """Tables of a kind."""
        return sorted(self.folder.glob(f"{kind}-*.json.xz"))

    def names(self, kind: str) -> list[str]:
        """Languages, or for the kind ``tags`` taggers, that have a table."""
        return [path.name.split(".")[0].removeprefix(f"{kind}-") for path in self.files(kind)]

    def read(self, kind: str, name: str | None, weighting: str) -> bytes:
        """The bytes of a table.

        Args:
            kind: of the table.
            name: a language or a tagger; ``None`` where none was named.
            weighting: which asks for it.

        Raises:
            StelaError: there is no table of this name.
        """
        if name is None or name not in self.names(kind):
            what, option = ("tagger", "--tagger") if kind == "tags" else ("language", "--language")
            names = ", ".join(self.names(kind))
            raise StelaError(
                f'weighting "{weighting}" ships no table for {what} "{name}".'
                if name is not None
                else f'weighting "{weighting}" has a table for each {what}, and none was named.',
                f"{option} {names}, or a table of your own with --lambda ({self.command})",
            )
        return lzma.decompress((self.folder / f"{kind}-{name}.json.xz").read_bytes())
