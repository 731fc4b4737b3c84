"""What the report reads: the files in the folder of a run, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import MissingLibraryError, StelaError
from stela_run.cells.cell_file import Bounds, bounds_of, read_cell
from stela_run.cells.results import MeasuredLength, measured_lengths
from stela_run.cells.store import CELLS
from stela_run.plan.estimate import EXPECTED
from stela_run.plan.plan import untouched
from stela_run.plan.run_folder import read_plan
from stela_run.report.columns import numbers_of
from stela_run.report.records import RECORDS, SCORES, TIMES, read_lines
from stela_run.statistics.bootstrap import Floats
from stela_run.statistics.roc import scores_of


class Place(NamedTuple):
    """Conditions under which something was measured; seeds are taken together."""

    model: str
    language: str
    label: str
    attack: str
    length: int


KEYS = (*Place._fields, "kind", "seed", "text")


@dataclass(frozen=True, slots=True)
class Tests:
    """Tests of texts of one kind at one place, (n,) each."""

    p_value: Floats
    """1 where a text could not be tested."""
    z: Floats
    """NaN there."""
    group: npt.NDArray[np.intp]
    """Index of the text; one text is tested under several keys."""
    prompt: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Number of its prompt, the same throughout a run."""
    seed: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Number of the seed, the same throughout a run."""

    @property
    def score(self) -> Floats:
        """``-log10`` of the p-value: it grows with the evidence."""
        return scores_of(self.p_value)


NOTHING = Tests(np.empty(0), np.empty(0), np.empty(0, dtype=np.intp))


@dataclass(frozen=True)
class Run:
    """The results of a run.

    Orders are those of the experiment file: of models, languages, schemes and attacks.
    """

    experiment: dict[str, Any]
    digest: str
    records: list[dict[str, Any]]
    timings: list[dict[str, Any]]
    tests: dict[Place, dict[str, Tests]]
    """Tests by place, and by kind: ``marked``, ``model``, ``human``."""
    folder: Path
    bounds: Bounds
    """Bounds of the files of its cells."""
    sample: list[str] = field(default_factory=list)
    """Languages whose texts were the small shipped sample."""
    prompts: list[str] = field(default_factory=list)
    """Prompts by their numbers."""
    seeds: list[int] = field(default_factory=list)
    """Seeds by their numbers."""
    by_place: dict[Place, list[dict[str, Any]]] = field(default_factory=dict)
    """Records that did not fail, one for each seed."""

    @property
    def places(self) -> list[Place]:
        """All places with results, in the order of the records."""
        return list(self.by_place)

    @property
    def untouched(self) -> str:
        """The attack that stands for none: ``none``, or the first where the experiment has no such."""
        return untouched([place.attack for place in self.places])

    @property
    def expected(self) -> bool:
        """Whether z is what is expected along texts without a mark: no text is marked."""
        return self.experiment.get("estimate") == EXPECTED

    @property
    def until_decided(self) -> bool:
        """Whether texts were made until what is compared was decided."""
        return bool(self.experiment.get("until_decided"))

    def of(self, place: Place, kind: str) -> Tests:
        """The tests of a kind; none where there are none."""
        return self.tests.get(place, {}).get(kind, NOTHING)

    def measured(self, cell: str) -> dict[int, MeasuredLength]:
        """What metrics found at each length of the cell of an id; errors as for :func:`read_cell`."""
        return measured_lengths(read_cell(self.folder / CELLS / f"{cell}.json.gz", self.bounds)["lengths"])

    def examples(self) -> Iterator[tuple[Place, MeasuredLength]]:
        """What has one text of each scheme and language as its example, by the first model and seed, not
        attacked, at the longest length that has one.
        """
        seen = set()
        for record in self.records:
            key = (record["language"], record["label"])
            if "error" in record or record["attack"] != self.untouched or key in seen:
                continue
            for length, measured in reversed(self.measured(record["cell"]).items()):
                if measured.example:
                    seen.add(key)
                    yield place_of({**record, "length": length}), measured
                    break


def read_run(folder: Path) -> Run:
    """Read a finished run.

    Raises:
        StelaError: a file is missing or not what a run writes.
        MissingLibraryError: pyarrow is not installed.
    """
    try:
        plan = read_plan(folder)
        bounds, sample = bounds_of(plan["experiment"]), list(plan.get("sample", []))
        records, timings = read_lines(folder / RECORDS), read_lines(folder / TIMES)
        tests, seeds, prompts = _tests(folder / SCORES)
        run = Run(
            plan["experiment"],
            plan["digest"],
            records,
            timings,
            tests,
            folder,
            bounds,
            sample,
            prompts,
            seeds,
        )
        for record in records:
            if "error" not in record:
                run.by_place.setdefault(place_of(record), []).append(record)
    except MissingLibraryError:
        raise
    except (StelaError, OSError, ValueError, KeyError, TypeError) as error:
        reason = error.message.removesuffix(".") if isinstance(error, StelaError) else str(error)
        raise StelaError(f'"{folder}" holds no finished run: {reason}.', "stela run ... --resume") from None
    return run


def place_of(record: dict[str, Any]) -> Place:
    """The place of a record that did not fail."""
    return Place(*(record[name] for name in Place._fields))


def _tests(path: Path) -> tuple[dict[Place, dict[str, Tests]], list[int], list[str]]:
    """The tests, and the seeds and prompts that they number."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingLibraryError("pyarrow", "a report", '"stela-core[run]"') from None
    # np.asarray of pyarrow's arrays would import pandas.
    file = parquet.ParquetFile(path)
    if not file.metadata.num_rows:
        return {}, [], []
    table = file.read([*KEYS, "p_value", "z"])
    codes, values = list[npt.NDArray[np.int64]](), []
    for name in KEYS:
        encoded = table[name].combine_chunks().dictionary_encode()
        codes.append(np.from_dlpack(encoded.indices).astype(np.int64))
        values.append(encoded.dictionary.to_pylist())
    numbers = {name: numbers_of(table[name].combine_chunks()) for name in ("p_value", "z")}
    by_place: dict[Place, dict[str, Tests]] = {}
    places, rows = np.unique(np.stack(codes[:6]), axis=1, return_inverse=True)
    texts = codes[6].astype(np.int64) * len(values[7]) + codes[7]
    order = np.argsort(rows.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(rows.ravel()))
    for place, members in zip(places.T, np.split(order, ends[:-1]), strict=True):
        *where, kind = (values[column][code] for column, code in enumerate(place))
        groups = np.unique(texts[members], return_inverse=True)[1].ravel()
        p_value = np.nan_to_num(numbers["p_value"][members], nan=1.0)
        by_place.setdefault(Place(*where), {})[kind] = Tests(
            p_value, numbers["z"][members], groups, codes[7][members], codes[6][members]
        )
    return by_place, *values[6:]
