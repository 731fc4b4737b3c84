"""Files of the user's folder of state that say what was made of which tokenizer, by which versions."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import tokenizers

from stela_core import StelaError
from stela_core.api import read_bounded, state_folder, write_atomically

MOST = 100
"""Lines of a file; the oldest go first."""


@cache
def checker() -> str:
    """The versions of what checks and reads tokenizers."""
    return f"{version('stela-core')}/{tokenizers.__version__}"


def read_kept(name: str, limit: int) -> bytes | None:
    """The bytes of a file of the folder; ``None`` where there is none of at most ``limit`` bytes."""
    try:
        return read_bounded(state_folder() / name, limit, name, "")
    except StelaError:
        return None


def read_lines(name: str) -> list[str]:
    """The lines of a file of the folder; none where there is no such file."""
    return (read_kept(name, 1 << 20) or b"").decode("ascii", "replace").split("\n")


def write_lines(name: str, lines: list[str]) -> None:
    """Replace a file of the folder, if it can be written: no work of the user's depends on it."""
    file = state_folder() / name
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, "".join(f"{line}\n" for line in lines[-MOST:]).encode())
        file.chmod(0o600)
    except (OSError, StelaError):
        return
