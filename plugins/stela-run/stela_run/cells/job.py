"""The job of an experiment: one shard or cell at a time, its errors as results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from stela_models.loaded import Models

from stela_core import Job, Registry, StelaError
from stela_core.api import PluginFile, plugin_files, reason_of, registry_of_worker
from stela_run.cells.environment import made_with
from stela_run.cells.generating import Generator, Order, Pilot
from stela_run.cells.marks import Marks
from stela_run.cells.measuring import Measurement, Measurer
from stela_run.cells.model_weights import FOLDER
from stela_run.cells.progress import note
from stela_run.cells.results import Failure, Result, Strength, Timing
from stela_run.cells.shard_test import ShardTest, ShardTester

Item = Order | ShardTest | Measurement


class Finished(NamedTuple):
    """What became of a piece of work: its result and its times."""

    id: str
    """Of the cell."""
    part: str
    """Which part of the cell: the name of a shard, ``PILOT``, or ``WHOLE``."""
    result: Result
    """A :class:`Failure` where it failed."""
    timing: Timing


@dataclass
class RunCells(Job[Item, Finished]):
    """Generate, test or measure; models and taggers are loaded once in each worker."""

    folder: Path | None
    device: str | None
    files: tuple[PluginFile, ...] = ()
    notes: Path | None = None
    """Folder where the texts done of a cell are noted, for the process that waits."""
    registry: Registry | None = field(default=None, repr=False)
    """Of the process that made the job; others make their own."""
    models: Models | None = field(default=None, repr=False)
    marks: Marks | None = field(default=None, repr=False)
    generator: Generator | None = field(default=None, repr=False)
    tester: ShardTester | None = field(default=None, repr=False)
    measurer: Measurer | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, registry: Registry, folder: Path | None, device: str | None, notes: Path | None = None
    ) -> RunCells:
        """A job for the plugins of a registry, local files included."""
        return cls(folder, device, plugin_files(registry), notes, registry)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a registry nor what was loaded travels.
        return RunCells, (self.folder, self.device, self.files, self.notes)

    def start(self) -> None:
        """Make the plugins' registry; the rest is loaded when a cell needs it."""
        registry = self.registry or registry_of_worker(self.files)
        self.models = Models(registry, self.device)
        self.marks = Marks(registry, self.folder)
        weights = None if self.notes is None else self.notes.parent / FOLDER
        self.generator = Generator(self.marks, self.models)
        self.tester = ShardTester(registry, self.marks, self.models, self.folder, weights)
        self.measurer = Measurer(registry, self.tester, self.models)

    def run(self, item: Item) -> Finished:
        """The outcome of one item; whatever goes wrong in it is its result."""
        assert self.models is not None
        assert self.generator is not None
        assert self.tester is not None
        assert self.measurer is not None
        result: Result
        timing: Timing = {}
        advance = partial(note, self.notes, item.cell.id, item.part)
        try:
            if isinstance(item, Pilot):
                result = Strength(delta=self.generator.delta(item))
            elif isinstance(item, Order):
                result, timing = self.generator.shard(item, advance)
            elif isinstance(item, ShardTest):
                result, timing = self.tester.run(item, advance)
            else:
                result, timing = self.measurer.run(item)
        except StelaError as error:
            result = Failure(error=str(error))
        except Exception as error:
            result = Failure(error=reason_of(error))
        made = made_with(self.models.registry)
        return Finished(item.cell.id, item.part, replace(result, made_with=made), timing)
