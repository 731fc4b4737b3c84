"""What a run left in its folder, ready to be compared."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pyarrow import parquet

Floats = npt.NDArray[np.float64]

LANGUAGES = {"en": "English", "zh": "Chinese", "ko": "Korean"}


@dataclass(frozen=True)
class Run:
    """One experiment's folder."""

    folder: Path

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The records, those with an error left out."""
        return [record for record in self._lines("records.jsonl") if "error" not in record]

    @cached_property
    def failures(self) -> list[dict[str, Any]]:
        """The records of cells that failed."""
        return [record for record in self._lines("records.jsonl") if "error" in record]

    @cached_property
    def experiment(self) -> dict[str, Any]:
        """The experiment as it was run."""
        found: dict[str, Any] = json.loads((self.folder / "experiment.json").read_text("utf-8"))["experiment"]
        return found

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

    @cached_property
    def _scores(self) -> dict[tuple[Any, ...], dict[tuple[int, str], list[tuple[float, float]]]]:
        """By place and kind: by seed and prompt, (z, p-value) of each test."""
        table = parquet.read_table(self.folder / "scores.parquet").to_pydict()
        names = ("model", "language", "label", "attack", "length", "kind")
        found: dict[Any, dict[Any, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
        columns = [table[name] for name in (*names, "seed", "text", "z", "p_value")]
        for *place, seed, text, z, p in zip(*columns, strict=True):
            found[tuple(place)][seed, text].append((z, p))
        return found

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
        place = (model or self.experiment["models"][0], language, label, attack, length, kind)
        return {key: tests[0] for key, tests in self._scores[place].items()}

    def each(self, metric: str, **where: Any) -> list[float]:
        """The values of single texts behind a metric's value, from the cell's file."""
        for record in self.find(**where):
            path = self.folder / "cells" / f"{record['cell']}.json.gz"
            found = json.loads(gzip.decompress(path.read_bytes()))["lengths"][str(record["length"])]
            if metric in found["each"]:
                return [value for value in found["each"][metric] if value is not None]
        return []

    def _lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_text("utf-8").splitlines()]


def paired(*of: dict[tuple[int, str], tuple[float, float]]) -> tuple[list[str], Floats]:
    """The z of texts that several cells share: prompts, and an array (cells, texts)."""
    shared = sorted(set.intersection(*(set(one) for one in of)))
    values = np.array([[one[key][0] for key in shared] for one in of]).reshape(len(of), len(shared))
    return [prompt for _, prompt in shared], values
