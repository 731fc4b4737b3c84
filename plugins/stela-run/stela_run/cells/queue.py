"""What is yet to be done of a run, cell by cell and shard by shard: what its queues share."""

from __future__ import annotations

from collections.abc import Mapping

from stela_run.cells.results import Failure
from stela_run.cells.store import Store
from stela_run.plan.plan import Cell, GenerateCell, Plan
from stela_run.plan.shards import Shard, shards_of
from stela_run.progress import Progress


class Queue:
    """Hand out what is to be done of cells, and keep what comes back.

    Args:
        plan: of the run.
        store: where results are kept.
        progress: hears of them.
    """

    def __init__(self, plan: Plan, store: Store, progress: Progress) -> None:
        self._plan = plan
        self._store = store
        self._progress = progress
        self._left: dict[str, set[str]] = {}
        """Shards that are yet to be done, by the id of a cell that is neither finished nor failed."""
        self._counts: Mapping[str, int] = {}
        """Shards of the generate cells that do not have all."""

    def cut(self, counts: Mapping[str, int]) -> None:
        """Give generate cells no more than a number of their shards."""
        self._counts = counts

    def _all_shards(self, cell: Cell) -> list[Shard]:
        return shards_of(len(self._plan.texts[cell.language].prompts), self._plan.experiment.batch_size)

    def _shards(self, cell: Cell) -> list[Shard]:
        """Shards in which a cell's texts are generated."""
        generated = cell.id if isinstance(cell, GenerateCell) else cell.generated
        return self._all_shards(cell)[: self._counts.get(generated)]

    def _is_last(self, cell: str, shard: str, steps: int) -> bool:
        """Take note of a shard that is done; whether none is left."""
        self._progress.part(cell, shard, steps)
        self._left[cell].discard(shard)
        return not self._left[cell]

    def _fail(self, cell: str, failure: Failure) -> None:
        self._left.pop(cell, None)
        self._store.put(cell, failure, {})
        self._progress.done(cell, None, failure.error)
