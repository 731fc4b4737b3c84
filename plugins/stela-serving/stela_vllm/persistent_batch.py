"""vLLM's first model runner: rows are requests, and updates say who joins, leaves and moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from stela_serving.marks import MarkWish, ServerMarks

if TYPE_CHECKING:
    import torch


class PersistentBatch:
    """Which request stands in which row.

    Args:
        marks: of the server.
        wish_of: what the text of a request with these ``SamplingParams`` is marked with, ``None`` for none.
    """

    def __init__(self, marks: ServerMarks, wish_of: Callable[[Any], MarkWish | None]) -> None:
        self._marks = marks
        self._wish_of = wish_of
        self._rows: dict[int, int] = {}
        self._names: Iterator[int] = count()

    def update(self, batch_update: Any) -> None:
        """Take a ``BatchUpdate``, or ``None`` where nothing changed.

        ``removed`` comes first, then ``added``, then ``moved``. A row that is filled again at once is not
        told of as removed. Lists of output ids are vLLM's own: they grow, and are never copied.
        """
        if batch_update is None:
            return
        for row in batch_update.removed:
            self._leave(row)
        for row, params, prompt, output in batch_update.added:
            self._leave(row)
            wish = self._wish_of(params)
            if wish is None:
                self._marks.pass_over()
            else:
                name = next(self._names)
                self._marks.follow(name, wish, output, prompt)
                self._rows[row] = name
        for one, two, direction in batch_update.moved:
            here, there = self._rows.pop(one, None), self._rows.pop(two, None)
            if here is not None:
                self._rows[two] = here
            if there is not None:
                if direction.name == "SWAP":
                    self._rows[one] = there
                else:
                    self._marks.remove(there)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """A step's logits, (rows, width), marked: new ones, or these where they lie."""
        rows = {row: name for row, name in self._rows.items() if row < len(logits)}
        return self._marks.marked(dict(sorted(rows.items())), logits) if rows else logits

    def _leave(self, row: int) -> None:
        name = self._rows.pop(row, None)
        if name is not None:
            self._marks.remove(name)
