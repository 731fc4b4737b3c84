"""Files about a vocabulary as a profile names them: by the name of one that is shipped, or by SHA-256.

A profile that names a shipped file holds its SHA-256 too, so that another version of the file is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Generic, TypeVar

from stela_clusters.kept import digest_of, keep_file, kept_file
from stela_core import StelaError
from stela_core.api import read_bounded

T = TypeVar("T")

CHOSEN = "the file of this mark may have been made for this text"
"""What a caveat says where such a file is not shipped (:attr:`stela_core.Hasher.chosen`)."""


@dataclass(frozen=True)
class NamedFiles(Generic[T]):
    """One kind of file: what a plugin ships of it, and how it is read."""

    plugin: str
    """Name of the plugin, and of its group of commands."""
    parameter: str
    """Name of the hasher's parameter whose value is a name or a SHA-256."""
    what: str
    """Name of a file in errors, such as ``cluster file``."""
    made_by: str
    """The command that writes one, such as ``stela watme clusters``."""
    largest: int
    """Bytes of a file."""
    shipped: Mapping[str, Path]
    parse: Callable[[bytes, str], T]
    """What the bytes say; the text names the file in errors."""

    def read(self, name: str, pin: str | None) -> T:
        """What the file says that a name stands for.

        Args:
            name: of a shipped file, or the SHA-256 of one that was kept. No path: profiles are strangers'.
            pin: SHA-256 that a shipped one must have; ``None`` where it is chosen now.

        Raises:
            StelaError: it is not here, another file, or not of the format.
        """
        if name not in self.shipped:
            hint = f"get the file and keep it: stela {self.plugin} keep FILE"
            return self.parse(kept_file(name, self.largest, f"the {self.what}", hint), f"the {self.what}")
        if pin not in (None, self.shipped_digest(name)):
            raise StelaError(
                f'{self.what} "{name}" is not the one that the profile was made with.',
                f"install the version of stela-{self.plugin} that it was made with",
            )
        return self.parse(self.shipped[name].read_bytes(), f'{self.what} "{name}"')

    def shipped_digest(self, name: str) -> str:
        """SHA-256 of a shipped file."""
        return digest_of(self.shipped[name].read_bytes())

    def log_choices(self, name: str) -> float:
        """Natural logarithm of the number of files that a maker could choose among: 0 for a shipped one.

        A file may be fitted to a text and a key. Whatever it says, it is one of ``256**n`` files of n bytes.
        Over all n, the shares ``1 / (n + 1)**2`` of the error rate come to less than 1.
        """
        if name in self.shipped:
            return 0.0
        size = len(kept_file(name, self.largest, f"the {self.what}", "keep the file again"))
        return size * log(256) + 2 * log(size + 1)

    def pinned(self, values: Any, default: str) -> Any:
        """A hasher's raw parameters and, as ``sha256``, that of the shipped file that is chosen now."""
        if not isinstance(values, dict) or values.get("sha256") is not None:
            return values
        name = values.get(self.parameter, default)
        return {**values, "sha256": self.shipped_digest(name)} if name in tuple(self.shipped) else values

    def keep(self, file: str) -> str:
        """Check a file, keep it, and say how a profile names it.

        Raises:
            StelaError: it cannot be read, or is not of the format.
        """
        what = f'{self.what} "{file}"'
        data = read_bounded(file, self.largest, what, f"give a file that {self.made_by} wrote")
        self.parse(data, what)
        return self.kept_as(data)

    def kept_as(self, data: bytes) -> str:
        """Keep a file's bytes, and say how a profile names it."""
        return f"kept as --param {self.parameter}={keep_file(data)}"
