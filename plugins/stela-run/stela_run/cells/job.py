"""The job of an experiment: one piece of work at a time, its errors as results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import PluginFile, plugin_files, registry_of_worker

from stela_core import Registry, StelaError
from stela_core.api import contained, reason_of
from stela_run.cells.bench import Bench
from stela_run.cells.environment import made_with
from stela_run.cells.generating import Order
from stela_run.cells.measuring import Measurement
from stela_run.cells.model_weights import FOLDER as WEIGHTS
from stela_run.cells.results import Failure, Result, Timing
from stela_run.cells.shard_test import ShardTest
from stela_run.progress import FOLDER as NOTES
from stela_run.progress import note

Item = Order | ShardTest | Measurement
"""A piece of work: ``run(bench, advance)`` does it."""


class Finished(NamedTuple):
    """What became of a piece of work: its result and its times."""

    id: str
    """Id of the cell."""
    part: str
    """Which part of the cell: the name of a shard, ``PILOT``, or ``WHOLE``."""
    result: Result
    """A :class:`Failure` where it failed."""
    timing: Timing


@dataclass
class RunCells(Job[Item, Finished]):
    """Generate, test or measure; models and taggers are loaded once in each worker."""

    data: Path | None
    """Data folder of the experiment."""
    device: str | None
    files: tuple[PluginFile, ...] = ()
    folder: Path | None = None
    """Folder of the run: texts done are noted there, and what models say of texts is shared."""
    registry: Registry | None = field(default=None, repr=False)
    """Registry of the process that made the job; other processes make theirs."""
    bench: Bench | None = field(default=None, repr=False)
    dtype: str | None = None
    """Type that the models compute in."""

    @classmethod
    def of(
        cls,
        registry: Registry,
        data: Path | None,
        device: str | None,
        folder: Path | None = None,
        dtype: str | None = None,
    ) -> RunCells:
        """A job for the plugins of a registry, local files included."""
        return cls(data, device, plugin_files(registry), folder, registry, dtype=dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a registry nor what was loaded travels.
        return RunCells, (self.data, self.device, self.files, self.folder, None, None, self.dtype)

    def start(self) -> None:
        """Make the plugins' registry; the rest is loaded when a cell needs it."""
        registry = self.registry or registry_of_worker(self.files)
        weights = None if self.folder is None else self.folder / WEIGHTS
        self.bench = Bench(registry, self.data, self.device, weights, self.dtype)

    def run(self, item: Item) -> Finished:
        """The outcome of one item; whatever goes wrong in it is its result."""
        assert self.bench is not None, "start comes before"
        notes = None if self.folder is None else self.folder / NOTES
        result: Result
        timing: Timing = {}
        try:
            with contained:
                result, timing = item.run(self.bench, partial(note, notes, item.cell.id, item.part))
        except StelaError as error:
            result = Failure(error=str(error))
        except Exception as error:
            result = Failure(error=reason_of(error))
        made = made_with(self.bench.registry)
        return Finished(item.cell.id, item.part, replace(result, made_with=made), timing)
