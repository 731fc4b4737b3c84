"""Import spaCy without what no pipeline here needs: torch, wherever it is installed, and its command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

TORCH = "torch"
NEEDING_TORCH = ("spacy_transformers", "spacy_curated_transformers")
"""Libraries whose pipelines run on torch by way of thinc."""


def import_thinc(own_process: bool) -> None:
    """Import what spaCy stands on; torch costs more than all the rest, seconds of a command.

    thinc decides once, when it is imported, whether there is torch. So it is kept from it only in a process
    whose whole work is known, a command of ours: another program may want thinc's layers of torch later.

    Args:
        own_process: whether this process is a command of ours.

    Raises:
        ImportError: thinc is not installed.
    """
    if not own_process or TORCH in sys.modules or any(map(find_spec, NEEDING_TORCH)):
        import thinc.compat

        return
    with _in_place({TORCH: None}):  # an import of it fails
        import thinc.compat  # noqa: F401


def import_spacy(own_process: bool) -> None:
    """Import spaCy and what it stands on.

    ``import spacy`` imports its command line with a client of HTTP and templates, for ``spacy.info``: as much
    as all else of it. In a command of ours there is no ``spacy.info``; ``spacy.cli`` can be imported later.

    Args:
        own_process: as of :func:`import_thinc`.

    Raises:
        ImportError: spaCy is not installed.
    """
    import_thinc(own_process)
    if not own_process or "spacy" in sys.modules:
        import spacy

        return
    info = ModuleType("spacy.cli.info")
    info.info = None  # type: ignore[attr-defined]
    with _in_place({"spacy.cli": ModuleType("spacy.cli"), "spacy.cli.info": info}):
        import spacy  # noqa: F401


@contextmanager
def _in_place(modules: Mapping[str, ModuleType | None]) -> Iterator[None]:
    """Modules that the body imports in place of those of these names."""
    sys.modules.update(modules)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
