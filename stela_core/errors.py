"""The one error a user's mistake raises, what stands in for an exit of a plugin, and ``did you mean``."""

from __future__ import annotations

import difflib
import re
import signal
import sys
from collections.abc import Iterable
from contextlib import ContextDecorator
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from traceback import walk_tb
from types import TracebackType

MAX_MESSAGE = 2000
"""Characters of an error or a hint: most quote a file."""

CLONE = Path(__file__).parents[1]  # the repository, where this is installed in place

PIP = re.compile(r'(?<!uv )\bpip install((?: "?stela-[a-z0-9-]+(?:\[[a-z,]+\])?"?)*)')
"""A hint's command, and what it installs of this project."""


class StelaError(Exception):
    """Something the user can mend: what is wrong, and what to do, in one line each.

    The command line prints ``error: MESSAGE hint: HINT`` and exits with status 2. A hint's ``pip install``
    becomes the command that finds this project's distributions: in a clone, among wheels, or on an index.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = _one_line(message)
        self.hint = _one_line(PIP.sub(_install, hint))
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


def _install(command: re.Match[str]) -> str:
    names = command[1].split()
    if names and (CLONE / "bundle" / "pyproject.toml").is_file():
        words = " ".join(name.strip('"').removeprefix("stela-") for name in names)
        into = "" if Path(sys.prefix) == CLONE / ".venv" else f" VENV={quote(sys.prefix)}"
        return f'make -C {quote(str(CLONE))} install WITH="{words}"{into}'
    wheels = [folder for folder in ("dist", ".") if names and any(Path(folder).glob("stela_core-*.whl"))]
    links = "".join(f" --find-links {folder}" for folder in wheels)
    return f"{'pip' if find_spec('pip') else 'uv pip'} install{links}{command[1]}"


class PluginExitError(StelaError):
    """Code of a plugin raised what would have ended this program, such as ``SystemExit``."""


def reason_of(error: BaseException) -> str:
    """One line that says what went wrong."""
    if isinstance(error, PluginExitError):
        return error.message
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class _Contained(ContextDecorator):
    """Raise a :class:`PluginExitError` in place of whatever would end the program or a task.

    ``KeyboardInterrupt`` is not changed, nor is what a handler of signals raises: it is meant for the
    program. Not to be used around a ``yield``, where ``GeneratorExit`` is not a mistake.
    """

    def __enter__(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        # click's Exit is a RuntimeError, and ends a command with a status of its own.
        leaves = getattr(sys.modules.get("click.exceptions"), "Exit", ())
        if (isinstance(error, Exception) and not isinstance(error, leaves)) or _of_a_signal(trace):
            return
        raise PluginExitError(
            f"{_place(trace)} raised {type(error).__name__}, which would have ended this program.",
            "report it to the maker of the plugin, or uninstall it (stela plugins lists what is installed)",
        ) from error


contained = _Contained()
"""``with contained:`` or ``@contained``, around what calls plugins."""


def _of_a_signal(trace: TracebackType | None) -> bool:
    """Whether a handler of signals raised it."""
    handlers = {getattr(signal.getsignal(each), "__code__", None) for each in signal.valid_signals()}
    return any(frame.f_code in handlers for frame, _ in walk_tb(trace))


def _place(trace: TracebackType | None) -> str:
    """The file and the line that raised it: the last ones outside of the core and the standard library."""
    place = "code of a plugin"
    for frame, line in walk_tb(trace):
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package != "stela_core" and package not in sys.stdlib_module_names:
            place = f'"{frame.f_code.co_filename}", line {line},'
    return place


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
