"""What one test says of a deployment, and what a deployment is to a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Ask: TypeAlias = Callable[[str, int], list[str]]
"""A deployment: ``ask(prompt, n)`` gives n answers, each drawn anew, without the prompt."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one test that needs no key."""

    test: str
    """Name of the test."""
    p_value: float
    """p-value in (0, 1]; small where the answers look marked."""
    queries: int
    """Answers asked for."""
    used: int
    """Answers that the test could read."""
    meaning: str
    """What a small p-value of this test says."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that ``stela audit presence --json`` prints."""
        return asdict(self)
