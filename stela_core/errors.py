"""The one error a user's mistake raises, and the suggestion that goes with a misspelt name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_MESSAGE = 2000
"""Characters of an error or a hint: most quote a file."""


class StelaError(Exception):
    """Something the user can mend: what is wrong, and what to do, in one line each.

    The command line prints ``error: MESSAGE hint: HINT`` and exits with status 2.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = _one_line(message)
        self.hint = _one_line(hint)
        super().__init__(str(self))

    def __reduce__(self) -> tuple[type[StelaError], tuple[str, str]]:
        # Between processes: the default calls a subclass with arguments that are not its own.
        return StelaError, (self.message, self.hint)

    def __str__(self) -> str:
        return f"{self.message} hint: {self.hint}" if self.hint else self.message


def _one_line(words: str) -> str:
    """White space is one space; what is longer than ``MAX_MESSAGE``, for what it quotes, is cut."""
    line = " ".join(words.split())
    return line if len(line) <= MAX_MESSAGE else f"{line[:MAX_MESSAGE]}..."


class MissingLibraryError(StelaError):
    """An optional library is not installed; the hint is the pip command that installs it."""

    def __init__(self, library: str, needed_for: str, pip: str) -> None:
        super().__init__(f"{needed_for} needs {library}, which is not installed.", f"pip install {pip}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean "kgw"?`` for the closest known name, else the list of what there is."""
    names = sorted(known)
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"known are: {', '.join(names)}" if names else "none is installed"
