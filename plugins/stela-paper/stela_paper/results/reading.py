"""What a run left in its folder, ready to be compared."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import stela_run.report.rates as rates
from stela_run.report import read as report
from stela_run.report.read import Place
from stela_run.statistics.bootstrap import Floats

from stela_paper.results.intervals import Paired

LANGUAGES = {"en": "English", "zh": "Chinese", "ko": "Korean"}

Scores = dict[tuple[int, str], tuple[float, float]]
"""z and p-value of texts, by seed and prompt."""


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
    def minutes(self) -> float:
        """What its cells took, one after the other; those that failed leave no time."""
        lines = (self.folder / "timings.jsonl").read_text("utf-8").splitlines()
        return float(sum(json.loads(line).get("seconds", 0.0) for line in lines)) / 60

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
        values = [r["values"][metric] for r in self.find(**where) if metric in r["values"]]
        return values[0] if values and values[0]["value"] is not None else None

    def size(self, language: str, label: str, length: int, model: str | None = None) -> rates.Estimate | None:
        """Share of the tests of unmarked text, human and the model's, with p <= 0.01, where there are any."""
        place = Place(model or self.experiment["models"][0], language, label, "none", length)
        return rates.size(0.01, self._run.of(place, "human"), self._run.of(place, "model"))

    def scores(
        self,
        language: str,
        label: str,
        length: int,
        model: str | None = None,
        attack: str = "none",
        kind: str = "marked",
    ) -> Scores:
        """(z, p-value) of each text under the key it was marked with, or would have been, by seed and prompt."""
        place = (model or self.experiment["models"][0], language, label, attack, length)
        tests = self._run.of(Place(*place), kind)
        columns = (tests.seed, tests.prompt, tests.z, tests.p_value)
        scores: Scores = {}
        for seed, prompt, z, p in zip(*(column.tolist() for column in columns), strict=True):
            scores.setdefault((self._run.seeds[seed], self._run.prompts[prompt]), (z, p))
        return scores

    def human(self, language: str, label: str, length: int, model: str | None = None) -> Floats:
        """p-values of the tests of human text, (tests,): each text is tested under several keys."""
        place = Place(model or self.experiment["models"][0], language, label, "none", length)
        return self._run.of(place, "human").p_value

    def paired(self, *of: Scores) -> Paired:
        """The texts that several cells share, with their keys where many share one."""
        shared = sorted(set.intersection(*(set(one) for one in of)))
        values = np.array([[one[key][0] for key in shared] for one in of]).reshape(len(of), len(shared))
        # Runs of older versions had a key for each seed.
        per_seed = self.experiment.get("key_per", "seed") == "seed"
        return Paired(
            [prompt for _, prompt in shared], values, [seed for seed, _ in shared] if per_seed else None
        )

    def each(self, metric: str, **where: Any) -> list[float]:
        """The values of single texts behind a metric's value, from the cell's file."""
        for record in self.find(**where):
            each = self._run.measured(record["cell"])[record["length"]].each
            if metric in each:
                return [value for value in each[metric] if value is not None]
        return []
