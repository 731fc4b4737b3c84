"""Runs that were never run, as the tests of pages need them."""

from __future__ import annotations

import tomllib
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from stela_paper.experiment_files import FOLDER
from stela_paper.results.reading import Run, Scores
from stela_run.plan.labels import labels_of
from stela_run.plan.read import parse_experiment
from stela_run.report.rates import Estimate
from stela_run.statistics.bootstrap import Floats

TEXTS = 40
GAIN = {"kgw+ewd": 0.5, "kgw+ewd-gain": 0.6, "kgw+learned-text": 0.4, "learned-text": 0.7, "unmarked": -4.0}
"""Of z over plain KGW's 4; what is not named has none."""


class MadeUp(Run):
    """What an experiment file would leave if every scheme had these z, and every metric the value 1."""

    @cached_property
    def experiment(self) -> dict[str, Any]:  # type: ignore[override]
        content = tomllib.loads((FOLDER / f"{self.folder.name}.toml").read_text("utf-8"))
        return {"key_per": "text", **self._parsed(content).model_dump(mode="json")}

    def _parsed(self, content: dict[str, Any]) -> Any:
        return parse_experiment(content, "it")

    @cached_property
    def labels(self) -> list[str]:  # type: ignore[override]
        content = tomllib.loads((FOLDER / f"{self.folder.name}.toml").read_text("utf-8"))
        return labels_of(self._parsed(content).schemes)

    @cached_property
    def records(self) -> list[dict[str, Any]]:  # type: ignore[override]
        attacks = [
            f"{one['name']}(share={one['share']})" if "share" in one else one["name"]
            for one in self.experiment["attacks"]
        ]
        names = ("model", "language", "label", "attack", "length")
        of = (self.experiment["models"], self.languages, self.labels, attacks, self.experiment["lengths"])
        return [{**dict(zip(names, place, strict=True)), "values": {}} for place in product(*of)]

    @property
    def minutes(self) -> float:
        return 7.2

    @cached_property
    def failures(self) -> list[dict[str, Any]]:  # type: ignore[override]
        return []

    def value(self, metric: str, **where: Any) -> dict[str, Any]:
        return {"value": 1.0, "low": 0.9, "high": 1.1, "n": TEXTS}

    def scores(
        self,
        language: str,
        label: str,
        length: int,
        model: str | None = None,
        attack: str = "none",
        kind: str = "marked",
    ) -> Scores:
        noise = np.random.default_rng(0).normal(0, 0.2, TEXTS)
        z = noise - noise.mean() + 4.0
        z += GAIN.get(label if kind == "marked" else "unmarked", 0.0)
        return {(0, f"t{n}"): (float(one), 0.001) for n, one in enumerate(z)}

    def size(self, language: str, label: str, length: int, model: str | None = None) -> Estimate:
        return Estimate(0.0034, 0.002, 0.005)

    def human(self, language: str, label: str, length: int, model: str | None = None) -> Floats:
        return np.arange(1, 1001) / 1000

    def each(self, metric: str, **where: Any) -> list[float]:
        return [1.0, 2.0, 3.0]
