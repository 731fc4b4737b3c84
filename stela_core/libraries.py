"""Libraries that only some uses of the core need, and the extra that installs each."""

from __future__ import annotations

import gc
import os
from importlib.metadata import version
from importlib.util import find_spec

from stela_core.errors import MissingLibraryError

LARGE_GENERATION = 10_000
"""Objects that may be made before garbage is looked for."""

EXTRAS = {
    "datasets": "datasets",
    "python-docx": "documents",
    "pypdf": "documents",
    "jinja2": "run",
    "matplotlib": "run",
    "pyarrow": "run",
    "numba": "generate",
    "torch": "generate",
    "transformers": "generate",
}
"""The extra of stela-core that installs each distribution."""

MODULES = {"python-docx": "docx", "scikit-learn": "sklearn"}
"""Module of each distribution whose module has another name."""


def core_version() -> str:
    """Version of the installed core."""
    return version("stela-core")


class OwnProcess:
    """Whether this process is a command of ours, which may keep libraries from what it will not need."""

    _is_own = False

    def __bool__(self) -> bool:
        return self._is_own

    def begin(self) -> None:
        """Say that it is: no other program's code runs in it later.

        So pydantic need not look through all that is installed for its plugins, which takes
        milliseconds, and garbage is looked for less often: what a command makes is text and numbers, which
        hold no circles.
        """
        self._is_own = True
        gc.set_threshold(LARGE_GENERATION)
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


own_process = OwnProcess()


def require_generation(needed_for: str = "generating text") -> None:
    """Check that what running a model needs is installed, without importing it.

    Raises:
        MissingLibraryError: torch or transformers is missing.
    """
    for library in ("torch", "transformers"):
        require(library, needed_for)


def require(library: str, needed_for: str, pip: str | None = None) -> None:
    """Find out whether a library is installed, without importing it; ``pip`` is what installs it.

    Raises:
        MissingLibraryError: it is not.
    """
    if find_spec(MODULES.get(library, library)) is None:
        raise MissingLibraryError(library, needed_for, pip or f'"stela-core[{EXTRAS[library]}]"')
