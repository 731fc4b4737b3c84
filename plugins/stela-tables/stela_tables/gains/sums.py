"""Sums of effects by what stood before, which a killed process leaves to go on from."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_core.api import write_atomically
from stela_tables.gains.table import MILLION

FORMAT = "stela-gain-sums/1"
STATE = "gains.npz"
EVERY = 60.0
"""Seconds after which sums are written: so much work is lost where a process is killed."""

MAX_KEYS = 20_000
"""Distinct contexts that are summed."""

Whole = npt.NDArray[np.int64]


class Gathered(NamedTuple):
    """Sums of some tokens by key: their number, and their effects in millionths."""

    keys: list[str]
    counts: Whole
    """(keys,)."""
    sums: Whole
    """(keys, temperatures, 3, strengths)."""


def gathered(keys: Sequence[str], effects: npt.NDArray[np.floating[Any]]) -> Gathered:
    """Sums of n tokens by their keys; effects are (n, temperatures, 3, strengths)."""
    names, numbers = np.unique(np.array(keys, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), *effects.shape[1:]), dtype=np.int64)
    np.add.at(sums, numbers.reshape(-1), np.rint(effects * MILLION).astype(np.int64))
    return Gathered(names.tolist(), np.bincount(numbers.reshape(-1), minlength=len(names)), sums)


class GainSums:
    """Sums by key of whole numbers: the order of what is added does not matter.

    Args:
        folder: where they lie; made when they are first written.
        settings: what they depend on, as JSON; a folder begun with others is refused.

    Raises:
        StelaError: the folder cannot be read, or was begun with other settings.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.place: list[int] | None = None
        """Point at which reading goes on."""
        self._settings = json.loads(json.dumps(dict(settings)))
        self._sums: dict[str, Whole] = {}
        self._counts: dict[str, int] = {}
        self._written = time.monotonic()
        if (folder / STATE).is_file():
            self._resume()

    @property
    def tokens(self) -> int:
        """Tokens that were read."""
        return sum(self._counts.values())

    def add(self, part: Gathered, place: Iterable[int]) -> None:
        """Add sums, and write all once a minute.

        Raises:
            StelaError: there are too many keys, or the folder cannot be written.
        """
        for key, count, sums in zip(part.keys, part.counts.tolist(), part.sums, strict=True):
            self._counts[key] = self._counts.get(key, 0) + count
            self._sums[key] = self._sums[key] + sums if key in self._sums else sums
        if len(self._counts) > MAX_KEYS:
            raise StelaError(
                f"there are more than {MAX_KEYS:,} contexts, each with sums for all strengths.",
                "give a smaller --k",
            )
        self.place = list(place)
        if time.monotonic() - self._written > EVERY:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write what a later process goes on from."""
        self.folder.mkdir(exist_ok=True)
        whole = self.gathered()
        state = {"format": FORMAT, "settings": self._settings, "place": self.place, "keys": whole.keys}
        held = io.BytesIO()
        np.savez(held, state=np.array(json.dumps(state)), counts=whole.counts, sums=whole.sums)
        write_atomically(self.folder / STATE, held.getvalue())
        self._written = time.monotonic()

    def gathered(self) -> Gathered:
        """All sums, by key in order."""
        keys = sorted(self._counts)
        counts = np.array([self._counts[key] for key in keys], dtype=np.int64)
        return Gathered(
            keys, counts, np.stack([self._sums[key] for key in keys]) if keys else np.zeros(0, int)
        )

    def _resume(self) -> None:
        what, hint = f'partial table "{self.folder}"', "remove the folder to begin again"
        try:
            with np.load(self.folder / STATE, allow_pickle=False) as held:
                state, counts, sums = json.loads(str(held["state"])), held["counts"], held["sums"]
            if state["format"] != FORMAT:
                raise StelaError(f"{what} is of another version.", hint)
            if state["settings"] != self._settings:
                raise StelaError(f"{what} was begun with other settings.", f"give them again, or {hint}")
            self.place = [int(number) for number in state["place"]]
            self._counts = dict(zip(state["keys"], counts.tolist(), strict=True))
            self._sums = dict(zip(state["keys"], sums, strict=True))
        except (KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise StelaError(f"{what} is corrupt ({type(error).__name__}).", hint) from None


def remove_gain_sums(folder: Path) -> None:
    """Remove what sums left in a folder, and the folder where it is empty then."""
    if folder.is_dir():
        (folder / STATE).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
