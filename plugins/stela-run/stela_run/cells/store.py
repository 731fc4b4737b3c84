"""The folder of a run: each finished cell or shard in a file of its own, written at once or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stela_core import StelaError
from stela_core.api import MEBIBYTE, Limits, parse_json, read_bounded, write_atomically
from stela_run.cells.cell_file import Bounds, bounds_of, checked, packed, read_cell, texts_digest
from stela_run.cells.shards import LARGEST
from stela_run.plan.plan import Plan

PLAN, CELLS, TIMINGS, ASIDE = "experiment.json", "cells", "timings", "set-aside"
PARTS = "parts"
"""Where the result of a large cell names its parts, each with a digest of its texts if it has some."""

BEFORE_PART = "/"

LARGEST_PLAN, LARGEST_TIMING = 16 * MEBIBYTE, MEBIBYTE


def part_of(cell: str, part: str) -> str:
    """The name of a part of a cell: a folder and a file in it."""
    return f"{cell}{BEFORE_PART}{part}"


class Store:
    """Results by id of the cell, or by the :func:`part_of` a cell that is not finished, or is large.

    Args:
        folder: where they are.
        bounds: what a file of a cell may hold.
        part_bounds: what that of a part may hold; by default the same.
    """

    def __init__(self, folder: Path, bounds: Bounds, part_bounds: Bounds | None = None) -> None:
        self.folder = folder
        self._bounds = bounds
        self._part_bounds = part_bounds or bounds

    @classmethod
    def of_experiment(cls, folder: Path, experiment: dict[str, Any]) -> Store:
        """With bounds for the cells of an experiment."""
        largest = min(int(experiment["texts"]), max(LARGEST, int(experiment["batch_size"])))
        return cls(folder, bounds_of(experiment), bounds_of({**experiment, "texts": largest}))

    @classmethod
    def open(cls, folder: Path, plan: Plan, resume: bool) -> Store:
        """Open a folder for a run; a new one, or with ``resume`` one that holds part of this very run.

        Raises:
            StelaError: the folder holds something else, or cannot be written.
        """
        known = require_usable(folder, plan, resume)
        try:
            for name in (CELLS, TIMINGS):
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StelaError(f'cannot write "{folder}": {error.strerror}.', "choose another -o") from None
        if not known:
            content = {
                "digest": plan.digest,
                "experiment": plan.experiment.model_dump(mode="json"),
                "sample": plan.sample,
            }
            write_atomically(
                folder / PLAN, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"
            )
        return cls.of_experiment(folder, plan.experiment.model_dump(mode="json"))

    def set_aside(self, plan: Plan) -> list[str]:
        """Move files away that are not what their cell left, and say for each what is wrong with it.

        They are made again.
        """
        reasons = []
        for cell in plan.cells:
            for name in (*self.parts(cell.id), cell.id):
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
        for part, digest in (result or {}).get(PARTS, {}).items():
            if not self._path(part_of(name, part)).exists():
                raise StelaError(f'"{self._path(name)}" has lost its part {part}.')
            if digest is not None and texts_digest(self.read(part_of(name, part)) or {}) != digest:
                raise StelaError(f'"{self._path(name)}" has a part {part} of other texts.')

    def parts(self, cell: str) -> list[str]:
        """Names of the parts of a cell that are there, in order."""
        paths = sorted((self.folder / CELLS / cell).glob("*.json.gz"))
        return [part_of(cell, path.name.removesuffix(".json.gz")) for path in paths]

    def drop_parts(self, cell: str) -> None:
        """Remove the parts of a cell, once it holds what they held."""
        for kind in (CELLS, TIMINGS):
            shutil.rmtree(self.folder / kind / cell, ignore_errors=True)

    def texts(self, cell: str) -> Iterator[dict[str, Any]]:
        """The texts that a cell generated, one part in memory at a time; none where it has not finished."""
        result = self.get(cell) or {}
        yield from result.get("texts", [])
        for part in result.get(PARTS, {}):
            yield from (self.get(part_of(cell, part)) or {}).get("texts", [])

    def has(self, cell: str) -> bool:
        """Whether there is a file of the cell or part, whatever it holds."""
        return self._path(cell).exists()

    def get(self, cell: str) -> dict[str, Any] | None:
        """The result of a cell; ``None`` if it has not finished, or has failed."""
        result = self.read(cell)
        return None if result is None or "error" in result else result

    def read(self, cell: str) -> dict[str, Any] | None:
        """The result of a cell, an error included; ``None`` if there is none.

        Raises:
            StelaError: its file is corrupt, was changed, or is another cell's.
        """
        path = self._path(cell)
        bounds = self._part_bounds if BEFORE_PART in cell else self._bounds
        return checked(cell, read_cell(path, bounds), path) if path.exists() else None

    def timing(self, cell: str) -> dict[str, Any]:
        """How long a cell took; empty if that is not known."""
        path = self.folder / TIMINGS / f"{cell}.json"
        try:
            content = parse_json(read_bounded(path, LARGEST_TIMING, "it", ""), "it", "")
        except StelaError:
            return {}
        return content if isinstance(content, dict) else {}

    def put(self, cell: str, result: dict[str, Any], timing: dict[str, Any]) -> None:
        """Keep the result of a cell or part."""
        for kind in (CELLS, TIMINGS):
            (self.folder / kind / cell).parent.mkdir(exist_ok=True)
        # First the timing: a cell whose result is there is never run again.
        write_atomically(self.folder / TIMINGS / f"{cell}.json", json.dumps(timing).encode())
        write_atomically(self._path(cell), packed(cell, result))

    def _path(self, cell: str) -> Path:
        return self.folder / CELLS / f"{cell}.json.gz"


def require_usable(folder: Path, plan: Plan, resume: bool) -> bool:
    """Find out whether a folder may hold this run; whether it holds part of it already.

    Raises:
        StelaError: it holds something else, or a run that is not to be gone on with.
    """
    if not (folder / PLAN).exists() and (folder.is_dir() or not folder.exists()):
        if folder.exists() and any(folder.iterdir()):
            raise StelaError(f'folder "{folder}" is not empty.', "give another -o")
        return False
    known = read_plan(folder)
    if not resume:
        raise StelaError(
            f'folder "{folder}" holds a run already.', "go on with it (--resume), or give another -o"
        )
    if known["digest"] != plan.digest:
        raise StelaError(
            f'folder "{folder}" holds another experiment: {_difference(known["experiment"], plan)}.',
            "give another -o, or the experiment file it was begun with",
        )
    return True


def read_plan(folder: Path) -> dict[str, Any]:
    """What ``experiment.json`` of a run says.

    Raises:
        StelaError: it is missing or corrupt.
    """
    path = folder / PLAN
    what = f'"{path}"'
    data = read_bounded(path, LARGEST_PLAN, what, "give another -o")
    content = parse_json(data, what, "give another -o", limits=Limits(string=LARGEST_PLAN))
    if not (
        isinstance(content, dict)
        and isinstance(content.get("digest"), str)
        and isinstance(content.get("experiment"), dict)
    ):
        raise StelaError(f"{what} is corrupt: it names no experiment.", "give another -o")
    return content


def _difference(before: dict[str, Any], plan: Plan) -> str:
    now = plan.experiment.model_dump(mode="json")
    keys = [key for key in now if key not in ("executor", "data") and before.get(key) != now[key]]
    return f"it differs in {', '.join(keys)}" if keys else "its prompts or human texts differ"
