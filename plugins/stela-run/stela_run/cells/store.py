"""The folder of a run: each finished shard and cell in a separate file, written at once or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from stela_core import StelaError
from stela_core.api import parse_json, read_bounded, write_atomically
from stela_run.cells.cell_file import Bounds, bounds_of, checked, packed, read_cell, texts_digest
from stela_run.cells.environment import MadeWith
from stela_run.cells.outcome import Outcome
from stela_run.cells.results import (
    ExpectedText,
    Failure,
    GeneratedShard,
    HumanShard,
    KeyedText,
    Result,
    ShardResult,
    Timing,
    keyed_texts,
    plain,
)
from stela_run.plan.estimate import EXPECTED
from stela_run.plan.plan import Plan
from stela_run.plan.run_folder import begin_folder
from stela_run.plan.shards import Shard
from stela_run.plan.texts import Pair

CELLS, TIMINGS, ASIDE = "cells", "timings", "set-aside"
LARGEST_TIMING = 1 << 20

ResultT = TypeVar("ResultT", bound=Result)


def part_of(cell: str, part: str) -> str:
    """The name of a part of a cell: a folder and a file in it."""
    return f"{cell}/{part}"


def parts_of(cell: str, shards: Iterable[Shard]) -> list[str]:
    """Parts of a cell, one for each of its shards."""
    return [part_of(cell, shard.name) for shard in shards]


def human_of(language: str) -> str:
    """What human texts lie under, in parts like those of cells."""
    return f"human-{language}"


class Store:
    """Results of cells by id, and of their shards by :func:`part_of`.

    Args:
        folder: where they are.
        bounds: what a file may hold.
    """

    def __init__(self, folder: Path, bounds: Bounds) -> None:
        self.folder = folder
        self._bounds = bounds

    @classmethod
    def open(cls, folder: Path, plan: Plan, resume: bool) -> Store:
        """Begin a run in a folder, or go on with it; errors as for :func:`begin_folder`."""
        begin_folder(folder, plan, resume)
        for name in (CELLS, TIMINGS):
            (folder / name).mkdir(exist_ok=True)
        return cls(folder, bounds_of(plan.experiment.model_dump(mode="json")))

    def set_aside(self, plan: Plan) -> list[str]:
        """Move files away that are not what their cell left, and say for each what is wrong with it.

        They are made again.
        """
        reasons = []
        for cell in (*map(human_of, plan.texts), *(cell.id for cell in plan.cells)):
            parts = sorted((self.folder / CELLS / cell).glob("*.json.gz"))
            for name in (*(part_of(cell, path.name.removesuffix(".json.gz")) for path in parts), cell):
                try:
                    self._require_parts(name, self.read(name))
                except StelaError as error:
                    path = self._path(name)
                    (self.folder / ASIDE).mkdir(exist_ok=True)
                    os.replace(path, self.folder / ASIDE / f"{name.replace('/', '-')}.json.gz")
                    reasons.append(error.message)
        return reasons

    def _require_parts(self, name: str, result: dict[str, Any] | None) -> None:
        """Find out whether the parts that a result names are there, and are those it is made of."""
        for part, digest in (result or {}).get("parts", {}).items():
            if not self.has(part_of(name, part)):
                raise StelaError(f'"{self._path(name)}" has lost its part {part}.')
            if digest is not None and self.digest(part_of(name, part)) != digest:
                raise StelaError(f'"{self._path(name)}" has a part {part} of other texts.')

    def texts(self, cell: str, shards: Sequence[Shard] | None = None) -> Iterator[KeyedText]:
        """The texts that a cell has generated, or some shards of it, one shard in memory at a time.

        Version 0.2 kept those of a small cell in the cell's own file.
        """
        head = self.read(cell) or {}
        if "texts" in head:
            whole = keyed_texts(head["texts"])
            for shard in shards or [Shard(0, 0, len(whole))]:
                yield from whole[shard.start : shard.stop]
            return
        names = head.get("parts", []) if shards is None else [shard.name for shard in shards]
        for name in names:
            yield from self.require(part_of(cell, name), GeneratedShard).texts

    def put_human(self, language: str, human: Sequence[Pair], shards: Sequence[Shard]) -> None:
        """Put human texts next to the cells, in parts like theirs, where they are not there yet."""
        for shard, name in zip(shards, parts_of(human_of(language), shards), strict=True):
            if not self.has(name):
                self.put(name, HumanShard(texts=list(human[shard.slice_of(shards)])), {})

    def human(self, language: str, shards: Sequence[Shard]) -> Iterator[Pair]:
        """The human texts that go with shards.

        Raises:
            StelaError: they are not there.
        """
        for part in parts_of(human_of(language), shards):
            yield from self.require(part, HumanShard).texts

    def tests(self, cell: str, parts: Iterable[str], length: int, kind: str) -> Iterator[list[Any]]:
        """Tests of one kind of text at one length, as :data:`stela_run.cells.outcome.COLUMNS`, one shard in
        memory at a time. Version 0.2 kept those of a small cell in the cell's own file.
        """
        whole = (self.read(cell) or {}).get("lengths", {}).get(str(length), {})
        yield from whole.get("scores", {}).get(kind, [])
        for part in parts:
            tested = self.get(part_of(cell, part), ShardResult)
            if tested is not None and kind == EXPECTED:
                yield from map(ExpectedText.columns, tested.lengths[length].expected or ())
            elif tested is not None:
                yield from map(Outcome.columns, tested.lengths[length].scores[kind])

    def has(self, cell: str) -> bool:
        """Whether there is a file of the cell or part, whatever it holds."""
        return self._path(cell).exists()

    def get(self, cell: str, kind: type[ResultT]) -> ResultT | None:
        """The result of a cell or shard; ``None`` if it has not finished, or has failed."""
        content = self.read(cell)
        return None if content is None or "error" in content else kind.of(content)

    def require(self, name: str, kind: type[ResultT]) -> ResultT:
        """The result of a shard that has finished.

        Raises:
            StelaError: it is not there.
        """
        result = self.get(name, kind)
        if result is None:
            raise StelaError(
                f'"{self._path(name)}" is missing.',
                "cells of more than 1,000 texts need a folder that all workers see",
            )
        return result

    def digest(self, name: str) -> str | None:
        """Digest of the texts that a cell or shard generated; ``None`` if it is unfinished or failed."""
        content = self.read(name)
        return None if content is None or "error" in content else texts_digest(content)

    def failure(self, cell: str) -> Failure | None:
        """Why a cell failed; ``None`` if it did not, or is yet to be run."""
        content = self.read(cell) or {}
        return Failure.of(content) if "error" in content else None

    def read(self, cell: str) -> dict[str, Any] | None:
        """What the file of a cell or shard holds, an error included; ``None`` if there is none.

        Raises:
            StelaError: its file is corrupt, was changed, or is another cell's.
        """
        path = self._path(cell)
        return checked(cell, read_cell(path, self._bounds), path) if path.exists() else None

    def timing(self, cell: str) -> Timing:
        """How long a cell took; empty if that is not known."""
        path = self.folder / TIMINGS / f"{cell}.json"
        try:
            content = parse_json(read_bounded(path, LARGEST_TIMING, "it", ""), "it", "")
        except StelaError:
            return {}
        return cast(Timing, content) if isinstance(content, dict) else {}

    def environments(self, parts: Iterable[str]) -> list[MadeWith]:
        """What parts were made with, each once; one of them in memory at a time."""
        made: list[MadeWith] = []
        for part in parts:
            used = self.require(part, Result).made_with
            if used not in made:
                made.append(used)
        return made

    def time(self, parts: Iterable[str], unit: Literal["seconds", "tokens"]) -> float | None:
        """Seconds (or tokens) of parts together; ``None`` where that is not known of each."""
        values = [self.timing(part).get(unit) for part in parts]
        known = [value for value in values if isinstance(value, int | float)]
        return sum(known) if len(known) == len(values) else None

    def put(self, cell: str, result: Result, timing: Timing) -> None:
        """Keep the result of a cell or shard."""
        for kind in (CELLS, TIMINGS):
            (self.folder / kind / cell).parent.mkdir(exist_ok=True)
        # First the timing: a cell whose result is there is never run again.
        write_atomically(self.folder / TIMINGS / f"{cell}.json", json.dumps(timing).encode())
        write_atomically(self._path(cell), packed(cell, plain(result)))

    def _path(self, cell: str) -> Path:
        return self.folder / CELLS / f"{cell}.json.gz"
