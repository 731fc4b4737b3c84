"""What a worker has at hand for its pieces of work, and what one of them leaves for the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from stela_models.loaded import Models

from stela_core import Registry, Watermark
from stela_run.cells.marks import Marks
from stela_run.plan.keys import key_of
from stela_run.plan.plan import Cell

T = TypeVar("T")


class Latest:
    """A cache that holds the last value of each kind: shards of one cell follow each other."""

    def __init__(self) -> None:
        self._values: dict[Hashable, tuple[object, Any]] = {}

    def get(self, kind: Hashable, key: object, make: Callable[[], T]) -> T:
        """The value of a kind if it was made for an equal key, else a new one in its place."""
        if kind not in self._values or self._values[kind][0] != key:
            self._values[kind] = key, make()
        value: T = self._values[kind][1]
        return value


class Bench:
    """Plugins, watermarks and models of a worker.

    Args:
        registry: the plugins.
        folder: data folder of the experiment, which relative paths start at.
        device: torch device; ``None`` for ``cuda`` where there is one.
        weights: folder where workers share what a model says of texts.
        dtype: of the models; ``None`` for the device's.
    """

    def __init__(
        self,
        registry: Registry,
        folder: Path | None,
        device: str | None,
        weights: Path | None = None,
        dtype: str | None = None,
    ) -> None:
        self.registry = registry
        self.folder = folder
        self.weights = weights
        self.marks = Marks(registry, folder)
        self.models = Models(registry, device, dtype)
        self.latest = Latest()
        self.warm: set[str] = set()
        """Cells for which something was generated: what is compiled at first use is compiled."""

    def watermark(self, cell: Cell, delta: float | None) -> Watermark:
        """The mark of a cell; the last one is kept, for the next shard or attack."""
        made = (cell.model, cell.language, cell.entry, cell.tagset, key_of(cell.seed), delta)
        return self.latest.get("watermark", made, lambda: self.marks.watermark(cell, delta))
