"""Import thinc without torch, which it imports wherever it is installed, and which no pipeline here needs."""

from __future__ import annotations

import sys
from importlib.util import find_spec

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
    sys.modules[TORCH] = None  # type: ignore[assignment]  # an import of it fails
    try:
        import thinc.compat  # noqa: F401
    finally:
        del sys.modules[TORCH]
