"""Whether transformers asks for a configuration in order to save it, or to look at it."""

from __future__ import annotations

from types import FrameType
from typing import NamedTuple

from transformers import GenerationConfig

_LIBRARY = "transformers"


class Asking(NamedTuple):
    """Who asked."""

    to_save: bool
    """Whether what is answered may be read back by transformers, from a file or a string."""
    depth: int
    """Frames from the asked method out of transformers: the ``stacklevel`` of a warning of that method."""


def who_asks(frame: FrameType | None) -> Asking:
    """Who asks a ``watermarking_config`` to describe itself.

    ``GenerationConfig`` asks when it is saved, and when it is shown, hashed or compared, which is told by
    ``ignore_metadata``: what has none is not for reading back. Whatever else of transformers asks counts as
    saving, so that a file of any version of transformers can be loaded.

    Args:
        frame: the one that called the method.
    """
    inside, shown, depth = False, False, 1
    while frame is not None:
        depth += 1
        if str(frame.f_globals.get("__name__")).partition(".")[0] != _LIBRARY:
            break
        inside = True
        local = frame.f_locals
        if frame.f_code.co_name == "to_json_string" and isinstance(local.get("self"), GenerationConfig):
            shown = local.get("ignore_metadata") is True
        frame = frame.f_back
    return Asking(inside and not shown, depth)
