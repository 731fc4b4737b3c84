"""Folders of runs made up for tests: the same files as a run writes."""

from __future__ import annotations

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet

VOID = {"meta", "link", "br", "img", "hr", "input"}

BASE: dict[str, Any] = {
    "title": "Made up",
    "about": "",
    "models": ["m"],
    "languages": {"en": {"tagger": "penn"}},
    "schemes": [{"name": "kgw"}, {"name": "stela"}],
    "seeds": [0],
    "lengths": [50],
    "texts": 20,
    "temperature": 0.7,
    "keys": 10,
}


def record(label: str = "kgw", **facts: Any) -> dict[str, Any]:
    """A record as a run writes it."""
    return {
        "cell": f"e-{label}-{facts.get('attack', 'none')}-{facts.get('seed', 0)}",
        "model": "m",
        "language": "en",
        "scheme": label,
        "label": label,
        "seed": 0,
        "attack": "none",
        "parameters": {},
        "attack_parameters": {},
        "versions": {"stela-core": "0.1.0"},
        "commit": None,
        "delta": None,
        "profile_sha256": "0" * 64,
        "key_id": "abcd",
        "length": 50,
        "values": {},
        **facts,
    }


def value(number: float | None, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"value": number, "low": low, "high": high, "n": 20}


EXAMPLE = [["A", None, None, None], [" cat", True, 0.5, ["NN"]], ["\n", False, 0.25, ["NN"]]]


def made_up(
    folder: Path,
    records: list[dict[str, Any]],
    experiment: dict[str, Any] | None = None,
    texts: int = 20,
    example: list[list[Any]] | None = None,
) -> Path:
    """Write a run with drawn scores: ``texts`` marked ones, and unmarked ones under ten keys each."""
    draws = np.random.default_rng(1)
    (folder / "cells").mkdir(parents=True)
    rows = []
    for one in records:
        if "error" in one:
            continue
        for kind, keys, mean in (("marked", 1, 3.0), ("model", 10, 0.0), ("human", 10, 0.0)):
            for text in range(texts):
                for z in draws.normal(mean, 1, keys):
                    p_value = float(np.clip(10 ** -max(z, 0), 0, 1))
                    names = ("cell", "model", "language", "scheme", "label", "seed", "attack", "length")
                    place = {name: one[name] for name in names}
                    rows.append({**place, "kind": kind, "text": f"t{text}", "z": z, "p_value": p_value})
        test = [["t0", 2.5, 2.4, 0.006, 2, 2, 0.5]]
        cell = {"lengths": {"50": {"example": example or EXAMPLE, "scores": {"marked": test}}}}
        path = folder / "cells" / f"{one['cell']}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(cell).encode()))
    content = {"digest": "d1", "experiment": {**BASE, **(experiment or {})}}
    (folder / "experiment.json").write_text(json.dumps(content), encoding="utf-8")
    write_lines(folder / "records.jsonl", records)
    write_lines(folder / "timings.jsonl", [{"cell": one["cell"], "seconds": 1.5} for one in records])
    names = list(rows[0]) if rows else []
    table = pyarrow.Table.from_pydict({name: [row[name] for row in rows] for name in names})
    parquet.write_table(table, folder / "scores.parquet")
    return folder


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


class Page(HTMLParser):
    """A page read strictly: every tag closed where it must be."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]
