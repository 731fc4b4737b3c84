"""Sums of all shards: a bounded buffer in memory, the rest in a folder that a later process goes on from."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from stela_core import StelaError
from stela_core.api import write_atomically
from stela_tables.learning.keys import PARTS
from stela_tables.learning.records import Block, Section, merged, sections
from stela_tables.learning.run_file import Run, RunWriter, Sizes, groups_of
from stela_tables.learning.shard import Shard, Totals

FORMAT = "stela-learning/1"
STATE = "state.json"
OWN = (STATE, f".{STATE}.", "run-", "level-")
"""How the names begin of all that lies in the folder: nothing else is touched."""

BUFFER = 128 << 20
"""Bytes of sums that are held in memory."""

EVERY = 60.0
"""Seconds after which what is in memory is written: so much work is lost where a process is killed."""

FAN = 8
"""Number of runs of like age (how often their sums were merged) that are merged into one."""


class Sums:
    """Sums by context that grow beyond memory.

    Whole numbers are added, so the order of shards does not matter, nor when the buffer was written. All that
    counts is named in one file, ``state.json``, which is replaced at once: a process that is killed anywhere
    leaves a folder to go on from.

    Args:
        folder: where runs lie; made when the first one is written.
        longest: units of the longest context.
        followers: whether followers of contexts are counted too.
        settings: what the sums depend on, as JSON; a folder begun with others is refused.
        buffer: bytes of sums that are held in memory.
        every: seconds between two checkpoints.

    Raises:
        StelaError: the folder cannot be read, or was begun with other settings.
    """

    def __init__(
        self,
        folder: Path,
        longest: int,
        followers: bool = False,
        settings: Mapping[str, Any] | None = None,
        buffer: int = BUFFER,
        every: float = EVERY,
    ) -> None:
        self.folder = folder
        self.longest = longest
        self.followers = followers
        self.sections = sections(longest, followers)
        self.totals = Totals()
        self.place: list[int] | None = None
        """Point at which reading goes on: whatever came with the last shard of a checkpoint."""
        self._settings = json.loads(json.dumps(dict(settings or {})))
        self._units: dict[str, int] = {}
        self._runs: list[tuple[int, int]] = []
        self._opened: list[Run] = []
        self._next = 0
        self._pending: dict[Section, list[Block]] = {section: [] for section in self.sections}
        self._held = 0
        self._buffer = buffer
        self._every = every
        self._written = time.monotonic()
        if (folder / STATE).is_file():
            self._resume()

    @property
    def units(self) -> Sequence[str]:
        """All units by their numbers in the records."""
        return list(self._units)

    def add(self, shard: Shard, place: list[int] | None = None) -> None:
        """Add the sums of a shard.

        Args:
            shard: from anywhere, in any order.
            place: where reading goes on after it.
        """
        numbers = np.array(
            [self._units.setdefault(unit, len(self._units)) for unit in shard.units] or [0], dtype=np.uint32
        )
        for section, block in shard.blocks.items():
            if len(block.records):
                records = block.records.copy()
                records["unit"] = numbers[records["unit"]]
                self._pending[section].append(Block(records, block.parts))
                self._held += block.size
        self.totals = Totals(*(one + other for one, other in zip(self.totals, shard.totals, strict=True)))
        self.place = place
        if self._held > self._buffer:
            self._gather()
            if self._held > self._buffer // 2:
                self.checkpoint()
        if time.monotonic() - self._written > self._every:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write what is in memory; from here a later process goes on."""
        self.folder.mkdir(exist_ok=True)
        runs, gone = list(self._runs), []
        if self._held:
            runs.append((self._write(), 0))
        while runs and len(alike := [run for run in runs if run[1] == runs[-1][1]]) >= FAN:
            runs = [*runs[: -len(alike)], (self._merge(self._open(alike)), runs[-1][1] + 1)]
            gone += alike
        state = {
            "format": FORMAT,
            "settings": self._settings,
            "place": self.place,
            "totals": self.totals,
            "units": list(self._units),
            "runs": runs,
        }
        write_atomically(self.folder / STATE, json.dumps(state).encode())
        self._runs = runs
        self._opened = self._open(runs)
        self._pending = {section: [] for section in self.sections}
        self._held = 0
        for number, _ in gone:
            self._path(number).unlink()
        self._written = time.monotonic()

    def sizes(self, section: Section) -> Sizes:
        """Records of each part as they lie in the folder, some of them for one context."""
        return sum((run.sizes(section) for run in self._opened), np.zeros(PARTS, dtype=np.int64))

    def read(self, section: Section, first: int, last: int) -> Block:
        """The sums of the parts ``first:last``, as of the last checkpoint."""
        return merged([run.read(section, first, last) for run in self._opened])

    def _open(self, runs: Sequence[tuple[int, int]]) -> list[Run]:
        return [Run(self._path(number), self.sections) for number, _ in runs]

    def _gather(self) -> None:
        """Add up what is in memory."""
        self._held = 0
        for section, blocks in self._pending.items():
            if blocks:
                self._pending[section] = [merged(blocks)]
                self._held += self._pending[section][0].size

    def _write(self) -> int:
        """What is in memory as a separate run."""
        number = self._number()
        with RunWriter(self._path(number), self.sections) as writer:
            for section, blocks in self._pending.items():
                block = merged(blocks)
                self._pending[section] = [block]
                writer.append(section, block)
        return number

    def _merge(self, runs: Sequence[Run]) -> int:
        """One run of several."""
        number = self._number()
        with RunWriter(self._path(number), self.sections) as writer:
            for section in self.sections:
                sizes = np.sum([run.sizes(section) for run in runs], axis=0)
                for first, last in groups_of(sizes):
                    writer.append(section, merged([run.read(section, first, last) for run in runs]))
        return number

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _path(self, number: int) -> Path:
        return self.folder / f"run-{number:06}"

    def _resume(self) -> None:
        what, hint = f'partial table "{self.folder}"', "remove the folder to begin again"
        try:
            state = json.loads((self.folder / STATE).read_bytes())
            if state["format"] != FORMAT:
                raise StelaError(f"{what} is of another version.", hint)
            if state["settings"] != self._settings:
                raise StelaError(f"{what} was begun with other settings.", f"give them again, or {hint}")
            self.totals = Totals(*state["totals"])
            self.place = state["place"]
            self._units = {unit: number for number, unit in enumerate(state["units"])}
            self._runs = [(int(number), int(age)) for number, age in state["runs"]]
            self._next = max((number for number, _ in self._runs), default=-1) + 1
            self._opened = self._open(self._runs)
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise StelaError(f"{what} is corrupt ({type(error).__name__}).", hint) from None
        # Begun by a process that was killed:
        remove_sums(self.folder, {STATE, *(self._path(number).name for number, _ in self._runs)})


def remove_sums(folder: Path, kept: Set[str] = frozenset()) -> None:
    """Remove what sums left in a folder but for the files ``kept``, and the folder where it is empty then."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.name.startswith(OWN) and path.name not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
