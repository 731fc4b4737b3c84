"""The folder of a run: every finished cell in a file of its own, written at once or not at all."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from stela_core.experiment.plan import Plan
from stela_core.files import write_atomically

PLAN, CELLS, TIMINGS = "experiment.json", "cells", "timings"


class Store:
    """Results by id of the cell.

    Args:
        folder: where they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, plan: Plan, resume: bool) -> Store:
        """Open a folder for a run; a new one, or with ``resume`` one that holds part of this very run.

        Raises:
            StelaError: the folder holds something else, or cannot be written.
        """
        known = _read_plan(folder)
        if known is None:
            if folder.exists() and any(folder.iterdir()):
                raise StelaError(f'folder "{folder}" is not empty.', "give another -o")
        elif not resume:
            raise StelaError(
                f'folder "{folder}" holds a run already.', "go on with it (--resume), or give another -o"
            )
        elif known["digest"] != plan.digest:
            raise StelaError(
                f'folder "{folder}" holds another experiment: {_difference(known["experiment"], plan)}.',
                "give another -o, or the experiment file it was begun with",
            )
        try:
            for name in (CELLS, TIMINGS):
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StelaError(f'cannot write "{folder}": {error.strerror}.', "choose another -o") from None
        if known is None:
            content = {"digest": plan.digest, "experiment": plan.experiment.model_dump(mode="json")}
            write_atomically(
                folder / PLAN, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"
            )
        return cls(folder)

    def get(self, cell: str) -> dict[str, Any] | None:
        """The result of a cell; ``None`` if it has not finished, or has failed."""
        found = self.read(cell)
        return None if found is None or "error" in found else found

    def read(self, cell: str) -> dict[str, Any] | None:
        """The result of a cell, an error included; ``None`` if there is none."""
        path = self._path(cell)
        if not path.exists():
            return None
        try:
            found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, ValueError) as error:
            raise StelaError(f'"{path}" is corrupt: {error}.', "delete it; --resume makes it again") from None
        return found

    def timing(self, cell: str) -> dict[str, Any]:
        """How long a cell took; empty if that is not known."""
        path = self.folder / TIMINGS / f"{cell}.json"
        found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        return found

    def put(self, cell: str, result: dict[str, Any], timing: dict[str, Any]) -> None:
        """Keep the result of a cell."""
        # First the timing: a cell whose result is there is never run again.
        write_atomically(self.folder / TIMINGS / f"{cell}.json", json.dumps(timing).encode())
        data = json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        content = data.encode("utf-8", "backslashreplace")
        write_atomically(self._path(cell), gzip.compress(content, 6, mtime=0))

    def _path(self, cell: str) -> Path:
        return self.folder / CELLS / f"{cell}.json.gz"


def _read_plan(folder: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads((folder / PLAN).read_bytes())
        return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StelaError(f'"{folder}" cannot be used: {error}.', "give another -o") from None


def _difference(before: dict[str, Any], plan: Plan) -> str:
    now = plan.experiment.model_dump(mode="json")
    keys = [key for key in now if key not in ("executor", "data") and before.get(key) != now[key]]
    return f"it differs in {', '.join(keys)}" if keys else "its prompts or human texts differ"
