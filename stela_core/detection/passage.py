"""A part of a text that looks marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stela_core.detection.readings import AS_IT_IS
from stela_core.interfaces import Message


@dataclass(frozen=True)
class Passage:
    """A part of a text that looks marked, and the window that its p-value belongs to."""

    start: int
    end: int
    """It is ``text[start:end]``, in characters."""
    text: str
    p_value: float
    """P(any window looks marked at least this much) for unmarked text and a random key: corrected."""
    p_uncorrected: float
    """The scorer's p-value of this window alone."""
    z: float
    """Of the window."""
    scored_tokens: int
    """Of the part."""
    green_fraction: float
    """Of the part."""
    windows: int
    """How many were tried."""
    window_start: int
    window_end: int
    """The window, in characters: the part lies in it. Of a part that several windows next to each other make
    up, it is all of them, and the p-value is that of the best."""
    token_start: int
    token_end: int
    """The part is ``detection.tokens[token_start:token_end]``."""
    reading: str = AS_IT_IS
    """How the text was read where the window looks marked most; see :attr:`Detection.reading`."""
    message: Message | None = None
    """Of the window, where marks carry one; bounds hold for all windows at once."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, for ``stela detect --json``."""
        said = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "message"}
        return said if self.message is None else {**said, "message": self.message.to_dict()}
