"""A resumed run believes no cell that is not its own, unchanged; and keeps what each was made with."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tracemalloc
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from struct import pack
from typing import Any, NamedTuple
from zlib import Z_FULL_FLUSH, compressobj, crc32

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from stela_cli.main import run
from stela_run.cells.cell_file import bounds_of, checked, packed, read_cell
from stela_run.cells.environment import made_with

import stela_core as stela
from tests.tiers import examples

from .conftest import without_figures

BASE = {"texts": 6, "keys": 2, "lengths": [10, 20]}
RECORDS = ("records.jsonl", "records.parquet", "scores.parquet", "texts.jsonl")


def command(workplace: Path, folder: Path, *options: str) -> list[str]:
    plugin = ["--plugin", str(workplace / "mine.py")]
    small = ["--texts", "3"]
    return [
        *plugin,
        "run",
        str(workplace / "small.toml"),
        "-o",
        str(folder),
        "--data",
        str(workplace),
        *small,
        *options,
    ]


@pytest.fixture(scope="module")
def whole(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store") / "whole"
    with without_figures():
        assert run(command(workplace, folder)) == 0
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "copy")


def cells(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / "cells").glob(f"{kind}-*.json.gz"))


def content_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def write(path: Path, content: object) -> None:
    path.write_bytes(gzip.compress(json.dumps(content).encode()))


class Resumed(NamedTuple):
    """A folder whose files were changed, after a run that went on with it."""

    folder: Path
    said: str


@pytest.fixture(scope="module")
def resumed(workplace: Path, whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    """Each of the four cells that measure is wrong in another way, or two are swapped; and a text is.

    The records are those of the undisturbed run.
    """
    copy = shutil.copytree(whole, tmp_path_factory.mktemp("store") / "copy")
    measured, first, second, older = cells(copy, "e")
    [generated] = (copy / "cells").glob("g-*-uniform-*/*.json.gz")
    content = content_of(measured)
    content["lengths"]["20"]["values"]["vowels"][0] = 0.99
    write(measured, content)
    content = content_of(generated)
    content["texts"][0]["text"] = "Another text, put in by someone."
    write(generated, content)
    third = first.with_name("third")
    os.replace(first, third)
    os.replace(second, first)
    os.replace(third, second)
    content = content_of(older)
    del content["digest"]
    del content["cell"]
    write(older, content)
    return Resumed(copy, go_on(workplace, copy, whole))


def go_on(workplace: Path, folder: Path, whole: Path) -> str:
    """What a resumed run says; its records are those of the undisturbed one."""
    with redirect_stderr(StringIO()) as said, without_figures():
        assert run(command(workplace, folder, "--resume")) == 0
    for name in RECORDS:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    return said.getvalue()


@pytest.mark.slow
def test_a_changed_cell_is_reported_and_made_again(resumed: Resumed) -> None:
    """A better value, and another text: neither is believed."""
    folder = resumed.folder
    measured, [generated] = cells(folder, "e")[0], (folder / "cells").glob("g-*-uniform-*/*.json.gz")
    for path in (measured, generated):
        assert f'made again: "{path}" was changed after it was written.' in resumed.said
        name = str(path.relative_to(folder / "cells")).replace("/", "-")
        assert (folder / "set-aside" / name).exists(), "what was there is not lost"
    assert "was changed" in (folder / "run.log").read_text(encoding="utf-8")


@pytest.mark.slow
def test_swapped_cells_are_reported_and_made_again(resumed: Resumed) -> None:
    assert resumed.said.count("holds another cell") == 2


@pytest.mark.slow
def test_a_cell_of_an_older_version_is_made_again(resumed: Resumed) -> None:
    """It has no digest: nothing tells whether it was changed."""
    assert "it was written by an older version" in resumed.said


@pytest.mark.slow
def test_what_was_measured_on_other_texts_is_made_again(workplace: Path, whole: Path, copy: Path) -> None:
    """A cell that is whole in itself, of texts that are not those of this run."""
    path = cells(copy, "e")[0]
    content = content_of(path)
    name = content.pop("cell")
    del content["digest"]
    content["inputs"] = dict.fromkeys(content["inputs"], "0" * 64)
    path.write_bytes(packed(name, content))
    assert f"made again: {name} was measured on other texts." in go_on(workplace, copy, whole)


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_versions_of_a_cell_stay_with_it(
    workplace: Path, whole: Path, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Resumed with another version, a record keeps the one its cell was made with; the report tells."""
    measured, generated = cells(copy, "e")[0], cells(copy, "g")[0]
    for path in (measured, generated):
        content = content_of(path)
        name = content.pop("cell")
        del content["digest"]
        content["made_with"]["versions"]["numpy"] = "0.1"
        content["made_with"]["commit"] = "f" * 40
        path.write_bytes(packed(name, content))
    capsys.readouterr()
    assert run(command(workplace, copy, "--resume")) == 0
    assert "made again" not in capsys.readouterr().err
    records = [json.loads(line) for line in (copy / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    own = measured.name.removesuffix(".json.gz")
    for record in records:
        other = record["cell"] == own
        assert (record["versions"]["numpy"] == "0.1") == other
        assert (record["commit"] == "f" * 40) == other
    texts = [kind for record in records for kind in record.get("texts_made_with", {})]
    assert texts, "texts of another version than the measuring of them are told, too"
    page = (copy / "report.html").read_text(encoding="utf-8")
    assert "Cells were made with different versions of" in page
    assert "numpy, commit" in " ".join(page.split())
    assert "different versions" not in (whole / "report.html").read_text(encoding="utf-8")


def test_local_plugins_are_told_apart_by_what_is_in_them(mine: stela.Registry) -> None:
    versions = made_with(mine)["versions"]
    assert versions["mine.py"].startswith("sha256:")
    assert {"stela-core", "stela-kgw", "numpy", "torch"} <= set(versions)


@pytest.mark.slow
def test_times_that_were_spoilt_are_left_out(workplace: Path, whole: Path, copy: Path) -> None:
    for path, data in zip(
        sorted((copy / "timings").glob("*.json")), (b"{", b"[1]", b"\xff", b"[" * 9_999), strict=False
    ):
        path.write_bytes(data)
    go_on(workplace, copy, whole)


@pytest.mark.slow
@pytest.mark.deep(keep=["{", "data4"])
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"digest": "d", "experiment": 3}', b"[" * 99_999, b"\xff\xfe"]
)
def test_a_spoilt_plan_is_refused(
    workplace: Path, copy: Path, data: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "experiment.json").write_bytes(data)
    assert run(command(workplace, copy, "--resume")) == 2
    assert "experiment.json" in capsys.readouterr().err


def bomb(size: int) -> bytes:
    """A list of zeros; its parts are the same bytes again and again, packed once."""
    plain, packer, crc = b"0," * (1 << 19), compressobj(9, wbits=-15), crc32(b"[")
    begun = packer.compress(b"[") + packer.flush(Z_FULL_FLUSH)
    part = packer.compress(plain) + packer.flush(Z_FULL_FLUSH)
    count = size // len(plain)
    for _ in range(count):
        crc = crc32(plain, crc)
    end = packer.compress(b"0]") + packer.flush()
    head = gzip.compress(b"")[:10]
    return head + begun + part * count + end + pack("<II", crc32(b"0]", crc), count * len(plain) + 3)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no gzip",
        gzip.compress(b'{"cell"')[:-9],
        gzip.compress(b"[]"),
        gzip.compress(b"[" * 100_000),
        gzip.compress(b'{"a": ' + b"9" * 5_000 + b"}"),
        gzip.compress(b'{"a": NaN, "digest": "d", "cell": "c"}'),
        gzip.compress(b'{"a": 1e999, "digest": "d", "cell": "c"}'),
        gzip.compress(b'{"a": "\xff"}'),
    ],
    ids=["empty", "plain", "cut", "list", "deep", "digits", "nan", "infinite", "bytes"],
)
def test_a_bad_file_is_refused_and_costs_little(tmp_path: Path, data: bytes) -> None:
    check_is_refused(tmp_path, data)


@pytest.mark.slow
def test_a_bomb_is_refused_and_costs_little(tmp_path: Path) -> None:
    check_is_refused(tmp_path, bomb(400 << 20))


def check_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "c.json.gz"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(stela.StelaError):
            checked("c", read_cell(path, bounds_of(BASE)), path)
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_change_of_a_byte_is_found(tmp_path: Path, data: st.DataObject) -> None:
    """Of the unpacked text; a change of the gzip file that changes no text is none."""
    path = tmp_path / "c.json.gz"
    result = {"delta": 1.5, "texts": [{"text": "a\ud800 b", "mean_bias": 0.1 + 0.2}], "inputs": {}}
    whole = gzip.decompress(packed("c", result))
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != whole[place]))
    changed = whole[:place] + bytes([byte]) + whole[place + 1 :]
    path.write_bytes(gzip.compress(changed))
    try:
        found = checked("c", read_cell(path, bounds_of(BASE)), path)
    except stela.StelaError:
        return
    assert found == result, "white space, or another way to write the same number"


def test_a_cell_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "c.json.gz"
    result = {"delta": None, "texts": [{"text": "é\u2028\ud83d\x00", "weights": [None, 1e-17]}]}
    path.write_bytes(packed("c", result))
    assert checked("c", read_cell(path, bounds_of(BASE)), path) == result
    assert packed("c", result) == packed("c", dict(result)), "the same bytes each time"


@pytest.mark.slow
@pytest.mark.deep(keep=["200-50"])
@pytest.mark.parametrize(("texts", "keys"), [(1_000, 100), (200, 50)])
def test_bounds_leave_room_for_large_honest_cells(tmp_path: Path, texts: int, keys: int) -> None:
    """A thousand texts under a hundred keys at two lengths; in ``make test`` a tenth of these scores."""
    base = {"texts": texts, "keys": keys, "lengths": [100, 200]}
    score = ["0123456789ab", 1.2345678901234567, 1.2345678901234567, 1.234567890123e-7, 199, 180, 0.123456789]
    scores = [score] * texts * keys
    at = {"scores": {"marked": [score] * texts, "model": scores, "human": scores}}
    path = tmp_path / "c.json.gz"
    path.write_bytes(packed("c", {"lengths": {"100": at, "200": at}}))
    assert len(checked("c", read_cell(path, bounds_of(base)), path)["lengths"]) == 2
