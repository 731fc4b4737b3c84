"""Table: what a weighting may look up, whatever it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

Calibration = Literal["tokens", "types"]
"""Over what a table's mean is taken: the tokens of its corpora, or its distinct contexts."""


class Table(ABC):
    """Numbers by context, read from a file and never changed."""

    counts_tags: ClassVar[bool]
    """Whether it holds counts of tags (an indeterminacy table) rather than values."""

    quantity: str
    """What its numbers are, such as ``lambda`` or ``expected-gain``."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """SHA-256 of the bytes of its file."""

    @abstractmethod
    def mean(self, calibration: Calibration) -> float:
        """Expected value on text like that it was made from."""
