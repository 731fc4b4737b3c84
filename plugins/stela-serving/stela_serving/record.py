"""A file of the weights that were applied, a line a text: to hold insertion to detection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path


class ServerRecord:
    """Add a line for each text that leaves: profile, ids and weights.

    Args:
        path: made where it is not there; only its owner can read it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch(mode=0o600)

    def add(self, profile: str, ids: Sequence[int], weights: Sequence[float | None]) -> None:
        """Add a text that left, for good or for a while."""
        line = {"profile": profile, "ids": list(ids), "weights": list(weights)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
