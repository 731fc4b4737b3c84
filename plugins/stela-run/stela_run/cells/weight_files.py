"""Files of weights that workers share: one of them works each out, the others read it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from filelock import FileLock, Timeout

from stela_core.api import RawWeights

ByWeighting = dict[str, list[RawWeights]]
"""Of each text of a batch, by the name of a weighting."""


def shared(path: Path, work: Callable[[], ByWeighting], wait: bool) -> ByWeighting | None:
    """The weights of a file; where there is none, those of ``work``, which are kept in it.

    A worker that is killed leaves no file and no lock behind it. Where none can be written, the work is done.

    Args:
        path: of the file.
        work: makes them.
        wait: for another worker that is at the same file; else ``None`` is returned.
    """
    weights = read(path)
    if weights is not None:
        return weights
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=-1 if wait else 0):
            weights = read(path)  # by one who had the lock before
            if weights is None:
                weights = work()
                write(path, weights)
            return weights
    except Timeout:
        return None
    except OSError:
        return work() if weights is None else weights


def write(path: Path, weights: ByWeighting) -> None:
    """Keep weights, whole or not at all."""
    names = list(weights)
    arrays: dict[str, Any] = {
        f"{part}-{number}-{row}": array
        for number, name in enumerate(names)
        for row, raw in enumerate(weights[name])
        for part, array in (("positions", raw.positions), ("values", raw.values))
    }
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    with unfinished.open("wb") as file:
        np.savez(file, names=np.array(names), **arrays)
    unfinished.replace(path)


def read(path: Path) -> ByWeighting | None:
    """Weights that were kept; ``None`` where there are none that can be read."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {
                str(name): [
                    RawWeights(file[f"positions-{number}-{row}"], file[f"values-{number}-{row}"])
                    for row in range(sum(key.startswith(f"values-{number}-") for key in file.files))
                ]
                for number, name in enumerate(file["names"])
            }
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
