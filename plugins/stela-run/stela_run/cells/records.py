"""The records of a run, put together from its cells: the same bytes for the same results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from stela_models.hub import revision_of

from stela_core.api import MEBIBYTE, missing, opened_atomically
from stela_run.bounded_files import read_objects
from stela_run.cells.assembling import ALSO_MADE_WITH
from stela_run.cells.detection_rows import columns_of
from stela_run.cells.environment import MADE_WITH
from stela_run.cells.kept_detection import row_of
from stela_run.cells.store import PARTS, Store, part_of
from stela_run.plan.plan import EvaluateCell, Plan, parameters_of

RECORDS, PARQUET, SCORES, TEXTS, TIMES = (
    "records.jsonl",
    "records.parquet",
    "scores.parquet",
    "texts.jsonl",
    "timings.jsonl",
)

SCORE_TYPES = {
    **dict.fromkeys(("seed", "length", "scored_tokens", "unique_pairs"), "int"),
    **dict.fromkeys(("z", "z_plain", "p_value", "green_fraction"), "float"),
}
"""Types of the columns of ``scores.parquet`` that are no strings."""

ROWS_AT_ONCE = 50_000

KINDS = ("marked", "model", "human")

MAX_LINES = 128 * MEBIBYTE
"""Bytes of a file of lines that is read."""


def write_records(plan: Plan, store: Store) -> int:
    """Write the files of records; returns how many cells failed.

    ``records.jsonl`` has a line for each cell and length, ``records.parquet`` a row for each value,
    ``scores.parquet`` one for each test of a text, ``texts.jsonl`` each generated text, and
    ``timings.jsonl``, apart as no run repeats it, how long each cell took.

    Raises:
        MissingLibraryError: pyarrow is not installed.
    """
    records = list(_records(plan, store))
    _write_lines(store.folder / RECORDS, records)
    _write_parquet(store.folder / PARQUET, _rows_of_values(records))
    _write_scores(store.folder / SCORES, _rows_of_scores(plan, store))
    _write_lines(store.folder / TEXTS, _texts(plan, store))
    ids = [*(cell.id for cell in plan.generate), *(cell.id for cell in plan.evaluate)]
    _write_lines(store.folder / TIMES, ({"cell": name, **store.timing(name)} for name in ids))
    return len({record["cell"] for record in records if "error" in record})


def _records(plan: Plan, store: Store) -> Iterator[dict[str, Any]]:
    experiment = plan.experiment
    texts = {cell.id: _made_with(store.read(cell.id) or {}) for cell in plan.generate}
    for cell in plan.evaluate:
        result = store.read(cell.id) or {"error": "not run"}
        facts = {
            **_facts(cell),
            "parameters": parameters_of(cell),
            "attack_parameters": cell.attack.parameters,
            "temperature": experiment.temperature,
            "texts": len(plan.texts[cell.language].prompts),
            "skip": experiment.skip,
            "key_per": experiment.key_per,
            "keys": experiment.keys,
            **_environments(cell, result, texts),
        }
        if "error" in result:
            yield {**facts, "error": result["error"]}
            continue
        of_run = {name: result[name] for name in ("delta", "profile_sha256", "key_id")}
        of_run |= {name: result[name] for name in ("samples",) if name in result}
        for length, at in result["lengths"].items():
            values = {
                name: dict(zip(("value", "low", "high", "n"), value, strict=True))
                for name, value in at["values"].items()
            }
            errors = {"errors": at["errors"]} if at["errors"] else {}
            yield {**facts, **of_run, "length": int(length), "values": values, **errors}


def _made_with(result: dict[str, Any]) -> list[Any]:
    """What a cell was made with, and what shards of it that are unlike the first were."""
    return [result.get(MADE_WITH), *result.get(ALSO_MADE_WITH, [])]


def _environments(cell: EvaluateCell, result: dict[str, Any], texts: dict[str, list[Any]]) -> dict[str, Any]:
    """What the cell was made with, and what its texts were, where that was something else."""
    own, *more = _made_with(result)
    own = own or {"versions": {}, "commit": None}
    others = {
        kind if number == 1 else f"{kind}-{number}": made
        for kind, name in (("marked", cell.generated), ("unmarked", cell.unmarked))
        for number, made in enumerate(texts[name] if name in result.get("inputs", {}) else [], start=1)
        if made != own
    }
    shards = {"shards_made_with": more} if more else {}
    return {**own, **({"texts_made_with": others} if others else {}), **shards}


def _facts(cell: EvaluateCell) -> dict[str, Any]:
    revision = revision_of(cell.model)
    return {
        "cell": cell.id,
        "model": cell.model,
        **({} if revision is None else {"revision": revision}),
        "language": cell.language,
        "scheme": cell.entry.name,
        "label": cell.label,
        "seed": cell.seed,
        "attack": cell.attack.label,
    }


def _rows_of_values(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    texts = ("parameters", "attack_parameters", "versions", "texts_made_with", "shards_made_with")
    for record in records:
        same = {name: value for name, value in record.items() if name not in (*texts, "values", "errors")}
        same |= {
            name: json.dumps(record[name], sort_keys=True, ensure_ascii=False)
            for name in texts
            if name in record
        }
        for name, value in record.get("values", {}).items():
            yield {**same, "metric": name, **value}
        for name, error in record.get("errors", {}).items():
            yield {**same, "metric": name, "error": error}
        if "values" not in record:
            yield same


def _rows_of_scores(plan: Plan, store: Store) -> Iterator[dict[str, Any]]:
    names = dict.fromkeys(name for cell in plan.evaluate for name in _facts(cell))
    for cell in plan.evaluate:
        result = store.get(cell.id) or {}
        facts = {**names, **_facts(cell)}
        for length, at in result.get("lengths", {}).items():
            for kind in KINDS:
                for score in _scores(store, cell.id, result, length, kind, at):
                    yield {**facts, "length": int(length), "kind": kind, **columns_of(score)}


def _scores(
    store: Store, cell: str, result: dict[str, Any], length: str, kind: str, at: dict[str, Any]
) -> Iterator[list[Any]]:
    """Of one kind at one length, a part in memory at a time where the cell is kept in parts."""
    yield from at.get("scores", {}).get(kind, [])
    for part in result.get(PARTS, {}):
        tried = store.get(part_of(cell, part))
        yield from map(row_of, tried["lengths"][length]["scores"][kind] if tried is not None else [])


def _texts(plan: Plan, store: Store) -> Iterator[dict[str, Any]]:
    for cell in plan.generate:
        for text in store.texts(cell.id):
            facts = {"cell": cell.id, "model": cell.model, "language": cell.language, "seed": cell.seed}
            yield {**facts, **{name: text[name] for name in ("key", "prompt", "text", "mean_bias")}}


def read_lines(path: Path) -> list[dict[str, Any]]:
    """What ``records.jsonl``, ``texts.jsonl`` or ``timings.jsonl`` holds.

    Raises:
        StelaError: it is missing, too large, or not what a run writes.
    """
    return read_objects(path, MAX_LINES, "stela run ... --resume", surrogates=True)


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with opened_atomically(path) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Of rows whose columns are not known beforehand: few, as they are taken together."""
    pyarrow, parquet = _pyarrow()
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)  # from_pylist takes the first row's
    table = pyarrow.Table.from_pydict({name: [row.get(name) for row in listed] for name in names})
    with opened_atomically(path) as file:
        parquet.write_table(table, file, compression="zstd")


def _write_scores(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Of rows that may be many: some thousands in memory at a time."""
    pyarrow, parquet = _pyarrow()
    first = next(rows, None)
    if first is None:
        _write_parquet(path, rows)
        return
    kinds = {"int": pyarrow.int64(), "float": pyarrow.float64(), "str": pyarrow.string()}
    schema = pyarrow.schema([(name, kinds[SCORE_TYPES.get(name, "str")]) for name in first])
    rows = chain([first], rows)
    with opened_atomically(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing("pyarrow", "stela run") from None
    return pyarrow, parquet
