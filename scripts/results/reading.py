"""What a run left in its folder, ready to be compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stela_core.runner.cells.cell_file import read_cell
from stela_core.runner.cells.store import CELLS
from stela_core.runner.report import read as report
from stela_core.runner.report.read import Place
from stela_core.statistics.bootstrap import Floats

LANGUAGES = {"en": "English", "zh": "Chinese", "ko": "Korean"}


@dataclass(frozen=True)
class Run:
    """One experiment's folder."""

    folder: Path

    @cached_property
    def _run(self) -> report.Run:
        return report.read_run(self.folder)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The records, those with an error left out."""
        return [record for record in self._run.records if "error" not in record]

    @cached_property
    def failures(self) -> list[dict[str, Any]]:
        """The records of cells that failed."""
        return [record for record in self._run.records if "error" in record]

    @property
    def experiment(self) -> dict[str, Any]:
        """The experiment as it was run."""
        return self._run.experiment

    @property
    def languages(self) -> list[str]:
        """Codes, in the order of the file."""
        return list(self.experiment["languages"])

    @cached_property
    def labels(self) -> list[str]:
        """Labels of the schemes, in the order of the file."""
        return list(dict.fromkeys(record["label"] for record in self.records))

    def find(self, **where: Any) -> list[dict[str, Any]]:
        """The records in which these fields have these values."""
        return [r for r in self.records if all(r.get(name) == value for name, value in where.items())]

    def value(self, metric: str, **where: Any) -> dict[str, Any] | None:
        """A metric's value, low, high and n in the one record that fits."""
        found = [r["values"][metric] for r in self.find(**where) if metric in r["values"]]
        return found[0] if found and found[0]["value"] is not None else None

    def scores(
        self,
        language: str,
        label: str,
        length: int,
        model: str | None = None,
        attack: str = "none",
        kind: str = "marked",
    ) -> dict[tuple[int, str], tuple[float, float]]:
        """(z, p-value) of each text under the mark's key, by seed and prompt."""
        place = (model or self.experiment["models"][0], language, label, attack, length)
        tests = self._run.of(Place(*place), kind)
        columns = (tests.seed, tests.prompt, tests.z, tests.p_value)
        found: dict[tuple[int, str], tuple[float, float]] = {}
        for seed, prompt, z, p in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault((self._run.seeds[seed], self._run.prompts[prompt]), (z, p))
        return found

    def each(self, metric: str, **where: Any) -> list[float]:
        """The values of single texts behind a metric's value, from the cell's file."""
        for record in self.find(**where):
            path = self.folder / CELLS / f"{record['cell']}.json.gz"
            each = read_cell(path, self._run.bounds)["lengths"][str(record["length"])]["each"]
            if metric in each:
                return [value for value in each[metric] if value is not None]
        return []


def paired(*of: dict[tuple[int, str], tuple[float, float]]) -> tuple[list[str], Floats]:
    """The z of texts that several cells share: prompts, and an array (cells, texts)."""
    shared = sorted(set.intersection(*(set(one) for one in of)))
    values = np.array([[one[key][0] for key in shared] for one in of]).reshape(len(of), len(shared))
    return [prompt for _, prompt in shared], values
