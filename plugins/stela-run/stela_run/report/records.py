"""The records of a run, put together from its cells: the same bytes for the same results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from stela_models.hub import revision_of

from stela_core import MissingLibraryError
from stela_core.api import opened_atomically
from stela_run.bounded_files import read_objects
from stela_run.cells.environment import MadeWith
from stela_run.cells.outcome import columns_of
from stela_run.cells.results import KINDS, CellResult, Failure, MeasuredCell
from stela_run.cells.store import Store
from stela_run.plan.estimate import EXPECTED
from stela_run.plan.plan import EvaluateCell, Plan, parameters_of
from stela_run.plan.shards import shards_of
from stela_run.report.columns import column

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
"""Types of the columns of ``scores.parquet`` that are not strings."""

ROWS_AT_ONCE = 50_000

MAX_LINES = 128 << 20
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
    texts = {cell.id: store.get(cell.id, CellResult) for cell in plan.generate if plan.writes(cell)}
    for cell in plan.evaluate:
        result = store.get(cell.id, MeasuredCell) or store.failure(cell.id) or Failure(error="not run")
        facts = {
            **_facts(cell),
            "parameters": parameters_of(cell),
            "attack_parameters": cell.attack.parameters,
            "temperature": experiment.temperature,
            **({} if experiment.top_p is None else {"top_p": experiment.top_p}),
            **({"readings": True} if experiment.readings else {}),
            "texts": _texts_of(plan, cell, texts.get(cell.generated)),
            "skip": experiment.skip,
            "key_per": experiment.key_per,
            "keys": experiment.keys,
            **_environments(cell, result, texts),
        }
        if isinstance(result, Failure):
            yield {**facts, "error": result.error}
            continue
        of_run = {"delta": result.delta, "profile_sha256": result.profile_sha256, "key_id": result.key_id}
        of_run |= {"knob": result.knob} if result.knob else {}
        of_run |= {"samples": True} if result.samples else {}
        for length, measured in result.lengths.items():
            values = {name: value._asdict() for name, value in measured.values.items()}
            errors = {"errors": measured.errors} if measured.errors else {}
            yield {**facts, **of_run, "length": length, "values": values, **errors}


def _texts_of(plan: Plan, cell: EvaluateCell, generated: CellResult | None) -> int:
    """Texts of a cell: all of its language, but where no more of them were needed."""
    count = len(plan.texts[cell.language].prompts)
    if not plan.experiment.until_decided or generated is None:
        return count
    return shards_of(count, plan.experiment.batch_size)[len(generated.parts) - 1].stop


def _environments(
    cell: EvaluateCell, result: MeasuredCell | Failure, texts: dict[str, CellResult | None]
) -> dict[str, Any]:
    """What the cell was made with, and what its texts were, where that was something else."""
    if isinstance(result, Failure):
        return dict(result.made_with)
    others: dict[str, MadeWith] = {}
    for kind, source in (("marked", cell.generated), ("unmarked", cell.unmarked)):
        generated = texts.get(source) if source in result.inputs else None
        for number, used in enumerate([] if generated is None else generated.environments, start=1):
            if used != result.made_with:
                others[kind if number == 1 else f"{kind}-{number}"] = used
    shards = {"shards_made_with": result.also_made_with} if result.also_made_with else {}
    return {**result.made_with, **({"texts_made_with": others} if others else {}), **shards}


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
    kinds = (*KINDS, EXPECTED) if plan.experiment.expected else KINDS
    for cell in plan.evaluate:
        result = store.get(cell.id, MeasuredCell)
        facts = {**names, **_facts(cell)}
        if result is None:
            continue
        for length, kind in product(result.lengths, kinds):
            for row in store.tests(cell.id, result.parts, length, kind):
                yield {**facts, "length": length, "kind": kind, **columns_of(row)}


def _texts(plan: Plan, store: Store) -> Iterator[dict[str, Any]]:
    for cell in plan.generate:
        for text in store.texts(cell.id):
            facts = {"cell": cell.id, "model": cell.model, "language": cell.language, "seed": cell.seed}
            yield {**facts, **{name: getattr(text, name) for name in ("key", "prompt", "text", "mean_bias")}}


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
    """Write rows whose columns are not known beforehand: few, as they are taken together."""
    pyarrow, parquet = _pyarrow()
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)  # from_pylist takes the first row's
    columns = [column([row.get(name) for row in listed]) for name in names]
    table = pyarrow.Table.from_arrays(columns, names=[*names])
    with opened_atomically(path) as file:
        parquet.write_table(table, file, compression="zstd")


def _write_scores(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write rows that may be many: some thousands in memory at a time."""
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
            columns = [column([row[name] for row in some], SCORE_TYPES.get(name, "str")) for name in first]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingLibraryError("pyarrow", "stela run", '"stela-core[run]"') from None
    return pyarrow, parquet
