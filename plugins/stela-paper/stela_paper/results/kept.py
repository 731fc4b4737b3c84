"""What runs said, as files next to the pages: a page is written of them, with no run at hand.

``results/models.json`` has a record for each model, with one for each of its sections; their tables are CSV files,
in the folder of the model's figures.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from stela_paper.results import grids
from stela_paper.results.grids import Rows
from stela_paper.results.reading import LANGUAGES, Run

MODELS = Path("results") / "models.json"
"""Path of the models' records in the folder of the documentation."""

EMBEDDED = "tiny"


@dataclass(frozen=True)
class About:
    """What was run for a section."""

    title: str
    prompts: int
    skip: int
    keys: int
    languages: list[str]
    """Names of the languages."""
    lengths: list[int]
    models: list[str]
    minutes: int | None
    """What its cells took, one after the other, where that is known."""
    failed: list[str]
    reader: str | None
    """The model that measured perplexity."""
    tables: list[str]
    """Names of its tables; the main one's is empty."""


@dataclass(frozen=True)
class Section:
    """A section as it is kept."""

    name: str
    """Name of its experiment."""
    model: str
    """Short name of the model."""
    about: About
    tables: dict[str, Rows]

    @property
    def empty(self) -> bool:
        """Whether no cell left a figure."""
        return "" not in self.tables

    @property
    def rows(self) -> Rows:
        """Its main table."""
        return self.tables[""]

    def file(self, table: str = "") -> str:
        """A table's file, as the embedded model's page links it; :mod:`.page` puts the model's folder there."""
        return f"{folder_of(EMBEDDED)}/{file_of(self.name, table)}"


@dataclass
class Model:
    """A model's record."""

    model: str
    """Its name, in words."""
    page: str
    """File of its page."""
    texts: str
    """Which prompts and human texts were used."""
    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Fields of :class:`About` by name of the experiment."""


def file_of(name: str, table: str) -> str:
    """Name of the file of a section's table."""
    return f"{name}-{table}.csv" if table else f"{name}.csv"


def folder_of(model: str) -> str:
    """A model's files, in the folder of the documentation."""
    return "results" if model == EMBEDDED else f"results/{model}"


def keep(docs: Path, model: str, name: str, run: Run, tables: dict[str, Rows]) -> dict[str, Any]:
    """Write a section's tables; what is to be kept about it."""
    known = {table: rows for table, rows in tables.items() if rows and tables[""]}
    for table, rows in known.items():
        grids.save(docs / folder_of(model) / file_of(name, table), rows)
    return asdict(_about(run, list(known)))


def _about(run: Run, tables: list[str]) -> About:
    of = run.experiment
    readers = [one["model"] for one in of["metrics"] if isinstance(one, dict) and "model" in one]
    return About(
        title=of["title"],
        prompts=of["texts"],
        skip=of["skip"],
        keys=of["keys"],
        languages=[LANGUAGES[code] for code in run.languages],
        lengths=list(of["lengths"]),
        models=[Path(one).name for one in of["models"]],
        minutes=round(run.minutes),
        failed=sorted({f"{r['label']} ({r['language']}): {r['error']}" for r in run.failures}),
        reader=Path(readers[0]).name if readers else None,
        tables=tables,
    )


def sections_of(docs: Path, name: str, model: Model) -> dict[str, Section]:
    """A model's sections, with their tables, by name of the experiment."""
    folder = folder_of(name)
    return {
        one: Section(
            one,
            name,
            About(**about),
            {table: grids.load(docs / folder / file_of(one, table)) for table in about["tables"]},
        )
        for one, about in model.sections.items()
    }


def load_models(docs: Path) -> dict[str, Model]:
    """All models that have a record, the embedded one first."""
    path = docs / MODELS
    recorded = json.loads(path.read_text("utf-8")) if path.exists() else {}
    ordered = sorted(recorded, key=lambda one: (one != EMBEDDED, one))
    return {one: Model(**recorded[one]) for one in ordered}


def save_models(docs: Path, models: dict[str, Model]) -> None:
    """Write all records."""
    path = docs / MODELS
    path.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(models, key=lambda one: (one != EMBEDDED, one))
    content = {one: asdict(models[one]) for one in ordered}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
