"""Files of a run are read with bounds, and what is wrong with one is one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from stela_run.cells.cell_file import Bounds
from stela_run.cells.results import GeneratedShard, KeyedText
from stela_run.cells.store import CELLS, TIMINGS, Store
from stela_run.plan.run_folder import PLAN, read_plan

import stela_core as stela
from stela_core.files.json_shape import Limits

BOUNDS = Bounds(1000, Limits(elements=100, depth=16))


@pytest.fixture
def run(tmp_path: Path) -> Store:
    for name in (CELLS, TIMINGS):
        (tmp_path / name).mkdir()
    return Store(tmp_path, BOUNDS)


def test_what_is_put_is_got(run: Store) -> None:
    text = KeyedText("한국어 😀", "half a character \udc80", [7], [0.25, None], 1e-300, "0" * 16)
    result = GeneratedShard(delta=None, texts=[text])
    run.put("x", result, {"seconds": 1.5})
    assert run.get("x", GeneratedShard) == result
    assert run.timing("x") == {"seconds": 1.5}
    assert run.get("y", GeneratedShard) is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "corrupt"),
        (gzip.compress(b'{"a": 1}')[:-5], "corrupt"),
        (gzip.compress(b"[1]"), "holds no object"),
        (gzip.compress(b"[" * 99), "nested deeper than 16"),
        (gzip.compress(b'{"a": ' + b"1" * 99 + b"}"), "more than 64 digits"),
        (gzip.compress(bytes(2000)), "unpacks to more than"),
        (b" " * 2000, "is larger than"),
    ],
    ids=range(7),
)
def test_bad_cells(run: Store, data: bytes, expected: str) -> None:
    (run.folder / CELLS / "x.json.gz").write_bytes(data)
    with pytest.raises(stela.StelaError, match=expected) as error:
        run.read("x")
    assert "delete it" in error.value.hint


@pytest.mark.parametrize("content", [b"", b"[]", b'{"digest": 1, "experiment": {}}', b"\xff"])
def test_bad_plans_and_timings(run: Store, content: bytes) -> None:
    (run.folder / PLAN).write_bytes(content)
    with pytest.raises(stela.StelaError):
        read_plan(run.folder)
    (run.folder / TIMINGS / "x.json").write_bytes(content[:2])
    assert run.timing("x") == {}  # how long it took is not known
