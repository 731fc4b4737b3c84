"""``stela detect --parquet`` and ``to_frame``: the columns of ``--csv``, with types."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pytest
from stela_cli import detect_parquet
from stela_cli.frame import to_frame
from stela_cli.rows import INTEGERS, STRINGS
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.commands import Stela

pytestmark = pytest.mark.slow

parquet = pytest.importorskip("pyarrow.parquet")


def typed(name: str, value: str) -> Any:
    """A cell of CSV as its column's type."""
    if value == "":
        return None
    return value if name in STRINGS else int(value) if name in INTEGERS else float(value)


def rows_of(printed: str) -> list[dict[str, Any]]:
    """The rows of CSV."""
    rows = csv.DictReader(printed.splitlines())
    return [{name: typed(name, value) for name, value in row.items()} for row in rows]


KINDS = [("--profile", "kgw"), ("--profile", "kgw", "--windows"), ("--profiles", "folder")]


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_file_and_frame_have_what_csv_has(
    stela_: Stela,
    profiles: dict[str, Path],
    marked_texts: Path,
    tmp_path: Path,
    kind: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detect_parquet, "AT_ONCE", 2)  # written in several pieces
    option, name, *more = kind
    folder = profiles["kgw"].parent
    given = (option, folder if name == "folder" else profiles[name], "--key-file", profiles["key"], *more)
    given = given if name == "folder" else (option, profiles[name], *more)
    out = tmp_path / "out.parquet"
    texts = sorted(marked_texts.iterdir())
    printed = stela_("detect", *given, *texts, "--csv", "--parquet", out)
    assert printed.status == 0, printed.err
    wanted = rows_of(printed.out)
    table = parquet.read_table(out)
    assert table.column_names == list(wanted[0])
    assert table.to_pylist() == wanted
    numbers = {"int64" if column in INTEGERS else "double" for column in wanted[0] if column not in STRINGS}
    assert {str(kind) for kind in table.schema.types} == {"string", *numbers}

    pandas = pytest.importorskip("pandas")
    names = [str(text) for text in texts]
    contents = [text.read_text(encoding="utf-8") for text in texts]
    detections: list[Any]
    if name == "folder":
        detections = list(stela.load_all(folder, [profiles["key"]]).detect_many(contents))
    else:
        mark = stela.load(profiles[name])
        detections = mark.detect_many(contents)
        detections = [mark.with_passage(one) for one in detections] if more else detections
    frame = to_frame(detections, names)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(wanted[0])
    plain = frame.astype(object).where(frame.notna(), None)
    assert plain.to_dict("records") == wanted
    for column in frame.columns:
        kind_of = "object" if column in STRINGS else "int64" if column in INTEGERS else "float64"
        assert str(frame[column].dtype).lower() == kind_of


def test_frame_of_none_and_of_wrong_numbers(profiles: dict[str, Path]) -> None:
    pytest.importorskip("pandas")
    mark = stela.load(profiles["kgw"])
    assert list(to_frame([]).columns)[:2] == ["source", "verdict"]
    detections = mark.detect_many([ENGLISH, ENGLISH])
    assert list(to_frame(detections)["source"]) == ["0", "1"]
    with pytest.raises(stela.StelaError, match="1 sources for 2 detections"):
        to_frame(detections, ["a"])
    attribution = stela.load_all(profiles["kgw"].parent, [profiles["key"]]).detect(ENGLISH)
    with pytest.raises(stela.StelaError, match="those of one kind"):
        to_frame([*detections, attribution])


def test_with_workers_and_several_keys(
    stela_: Stela, profiles: dict[str, Path], marked_texts: Path, tmp_path: Path
) -> None:
    rotated = tmp_path / "two.stela"
    assert stela_("profile", "rotate", profiles["kgw"], "-o", rotated).status == 0
    out = tmp_path / "out.parquet"
    given = ("detect", "--profile", rotated, marked_texts, "--csv", "--workers", 2, "--parquet", out)
    printed = stela_(*given)
    assert parquet.read_table(out).to_pylist() == rows_of(printed.out)
    assert parquet.read_table(out).column_names[-2:] == ["key_id", "tests"]


def test_a_file_is_replaced_only_where_that_is_asked_for(
    stela_: Stela, profiles: dict[str, Path], marked_texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    out.write_bytes(b"mine")
    given = ("detect", "--profile", profiles["kgw"], marked_texts, "-q", "--parquet", out)
    refused = stela_(*given)
    assert refused.status == 2
    assert refused.err == (
        f'error: "{out}" exists. hint: name another file, or give --force to replace this one\n'
    )
    assert out.read_bytes() == b"mine"
    assert stela_(*given, "--force").status == 1
    assert parquet.read_table(out).num_rows == 3


def test_without_the_libraries_a_hint_says_what_to_install(
    stela_: Stela,
    profiles: dict[str, Path],
    marked_texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for library in ("pyarrow", "pyarrow.parquet", "pandas"):
        monkeypatch.setitem(sys.modules, library, None)
    out = tmp_path / "out.parquet"
    refused = stela_("detect", "--profile", profiles["kgw"], marked_texts, "--parquet", out)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        "error: stela detect --parquet needs pyarrow, which is not installed. "
        'hint: pip install "stela-cli[frame]"\n'
    )
    assert not out.exists()
    with pytest.raises(stela.MissingLibraryError, match=r'pip install "stela-cli\[frame\]"'):
        to_frame([])
