"""The last value of each kind that was asked for: shards of one cell follow each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Latest:
    """A cache that holds one value of each kind."""

    def __init__(self) -> None:
        self._values: dict[Hashable, tuple[object, Any]] = {}

    def get(self, kind: Hashable, key: object, make: Callable[[], T]) -> T:
        """The value of a kind if it was made for an equal key, else a new one in its place."""
        if kind not in self._values or self._values[kind][0] != key:
            self._values[kind] = key, make()
        value: T = self._values[kind][1]
        return value
