"""How far a run is, text by text, whichever process the texts are made in."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from stela_run.cost.pilot import PILOT_ROUNDS, PILOT_TEXTS
from stela_run.cost.share import ROUNDS
from stela_run.log import Log
from stela_run.plan.plan import Cell, GenerateCell, Plan

FOLDER = "progress"
INTERVAL = 0.5
"""Seconds between two looks at what workers have noted."""

BEFORE_PART = "~"
"""Separator of the cell and its part in the name of a note; no cell's id has it."""

Advance = Callable[[int], None]


class Rising:
    """Tell of whole texts, each number once, as it is passed.

    Args:
        advance: gets the number of texts done.
        before: texts that were done before those that it hears of.
    """

    def __init__(self, advance: Advance, before: int = 0) -> None:
        self._advance, self._before, self._told = advance, before, 0

    def __call__(self, done: float) -> None:
        """So many texts are done, parts of texts counted."""
        if int(done) > self._told:
            self._told = int(done)
            self._advance(self._before + self._told)

    def after(self, before: int) -> Rising:
        """The same of texts that come after others."""
        return Rising(self._advance, before)


def texts_of(plan: Plan, cell: Cell) -> int:
    """Steps of a cell: texts generated, those of its pilot too, or texts measured at each length."""
    count = len(plan.texts[cell.language].prompts)
    if isinstance(cell, GenerateCell):
        return (count if plan.writes(cell) else 0) + pilot_texts(plan, cell)
    return count * len(plan.experiment.lengths)


def pilot_texts(plan: Plan, cell: GenerateCell) -> int:
    """Texts of all rounds of a cell's pilot; 0 where it has none."""
    entry, prompts = cell.entry, len(plan.texts[cell.language].prompts)
    rounds = 1 if plan.experiment.expected else ROUNDS if entry.tpr is not None else PILOT_ROUNDS
    return rounds * min(PILOT_TEXTS, prompts) if entry.piloted else 0


def steps_of(plan: Plan) -> int:
    """Steps of all cells."""
    return sum(texts_of(plan, cell) for cell in plan.cells)


def note(folder: Path | None, cell: str, part: str, texts: int) -> None:
    """Note that ``texts`` texts of a part of a cell are done; a worker that sees no folder is silent."""
    if folder is None:
        return
    try:
        (folder / f"{cell}{BEFORE_PART}{part}").write_text(str(texts))
    except OSError:
        return


class Progress:
    """Count cells that are done, and look at what workers note of those they are at.

    Args:
        plan: of the run.
        folder: of the run.
        advance: gets the number of texts done since its last call.
        log: gets the lines.
    """

    def __init__(self, plan: Plan, folder: Path, advance: Advance | None, log: Log) -> None:
        self.notes = folder / FOLDER
        self._advance = advance or (lambda steps: None)
        self._log = log
        self._cells = {cell.id: texts_of(plan, cell) for cell in plan.cells}
        self._done: set[str] = set()
        self._parts: dict[str, dict[str, int]] = {}
        """Texts of the finished parts of cells that are not finished."""
        self._told = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        shutil.rmtree(self.notes, ignore_errors=True)
        self.notes.mkdir()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        shutil.rmtree(self.notes, ignore_errors=True)

    def finished(self, cell: str) -> None:
        """A cell that is finished: now, or before this run."""
        with self._lock:
            self._done.add(cell)
            self._parts.pop(cell, None)
        self._forget(cell, "*")
        self._show()

    def part(self, cell: str, part: str, texts: int) -> None:
        """A part of a cell that is finished: now, or before this run."""
        with self._lock:
            self._parts.setdefault(cell, {})[part] = texts
        self._forget(cell, part)
        self._show()

    def done(self, cell: str, seconds: float | None, error: str | None = None) -> None:
        """A cell that is finished now, and is told of."""
        self.finished(cell)
        took = "" if seconds is None else f" in {seconds:.1f} s"
        if error is None:
            self._log.step(f"{self._where()}: {cell}{took}")
        else:
            self._log.tell(f"{self._where()}: {cell} failed: {error}")

    def _forget(self, cell: str, part: str) -> None:
        for path in self.notes.glob(f"{cell}{BEFORE_PART}{part}"):
            path.unlink(missing_ok=True)

    def _watch(self) -> None:
        while not self._stop.wait(INTERVAL):
            partly = self._show()
            if partly and self._log.due:
                self._log.step(f"{self._where()}: {', '.join(partly)}")

    def _show(self) -> list[str]:
        """Tell of all texts done since the last time; returns how far each unfinished cell is."""
        partly = []
        with self._lock:
            count = sum(self._cells[cell] for cell in self._done)
            for cell, parts in self._noted().items():
                if cell in self._cells and cell not in self._done:
                    texts = sum(parts.values())
                    count += min(texts, self._cells[cell])
                    partly.append(f"{cell} {texts} of {self._cells[cell]} texts")
            if count > self._told:  # a cell that is run again does not take back what was told
                self._advance(count - self._told)
                self._told = count
        return partly

    def _noted(self) -> dict[str, dict[str, int]]:
        """Texts done of each part of each unfinished cell."""
        noted = {cell: dict(parts) for cell, parts in self._parts.items()}
        for path in sorted(self.notes.glob("*")):
            cell, _, part = path.name.partition(BEFORE_PART)
            try:
                noted.setdefault(cell, {}).setdefault(part, int(path.read_text() or 0))
            except (OSError, ValueError):
                continue
        return noted

    def _where(self) -> str:
        total = len(self._cells)
        return f"{len(self._done)}/{total} cells, {self._told} of {sum(self._cells.values())} texts"
