"""``stela detect`` with profiles whose marks carry messages: table, CSV, Parquet, data frame."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from stela_cli.detect_messages import at_most, said_of_messages
from stela_cli.frame import to_frame
from stela_payload.interface import Message

import stela_core as stela
from tests.commands import Stela
from tests.message_texts import KEY, MESSAGE, given, texts, watermark

__all__ = ["given", "texts", "watermark"]  # fixtures


def test_table_has_a_column_and_a_line(
    stela_: Stela, given: tuple[object, ...], texts: dict[str, Path]
) -> None:
    one = stela_("detect", *given, texts[f"{MESSAGE:x}"])
    header, row, *below = one.out.splitlines()
    assert header.split()[-2:] == ["green", "message"]
    assert row.split()[-1] == "0087f5e7"
    [said] = [line for line in below if line.startswith("message")]
    assert said.startswith("message 0087f5e7: wrong with probability <= ")
    assert 0 < float(said.split()[-1]) <= 1e-4
    all_of_them = stela_("detect", *given, *texts.values()).out.splitlines()
    assert [row.split()[-1] for row in all_of_them[1:3]] == ["0087f5e7", "ffffffff"]
    assert all_of_them[3].split()[-1].endswith("%")
    [said] = [line for line in all_of_them if line.startswith("messages of")]
    assert said.startswith("messages of 2 texts: 2 read whole, each wrong with probability <= ")
    nothing = stela_("detect", *given, texts["human"]).out
    assert "probability" not in nothing


def test_columns_are_those_of_json(
    stela_: Stela, given: tuple[object, ...], texts: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    found = stela_("detect", *given, *texts.values(), "--json").json
    printed = stela_("detect", *given, *texts.values(), "--csv", "--parquet", out)
    rows = list(csv.DictReader(printed.out.splitlines()))
    assert list(rows[0])[-3:] == ["readings", "message", "message_error"]
    wanted = [one.get("message") for one in found]
    assert [one and one["hex"] for one in wanted] == ["0087f5e7", "ffffffff", None, None]
    assert [row["message"] or None for row in rows] == [one and one["hex"] for one in wanted]
    errors = [one and one["error"] for one in wanted]
    assert [float(row["message_error"] or "nan") for row in rows[:2]] == errors[:2]
    assert [row["message_error"] for row in rows[2:]] == ["", ""]
    table = parquet.read_table(out)
    assert table.column_names == list(rows[0])
    assert table["message"].to_pylist() == [one and one["hex"] for one in wanted]
    assert table["message_error"].to_pylist() == errors
    pytest.importorskip("pandas")
    contents = [path.read_text(encoding="utf-8") for path in texts.values()]
    frame = to_frame(stela.load(str(given[1]), KEY).detect_many(contents))
    assert list(frame.columns) == list(rows[0])


def test_passages_have_a_message_each(
    stela_: Stela, given: tuple[object, ...], texts: dict[str, Path], tmp_path: Path
) -> None:
    """Half of one text and half of another: two lines, two entries of the register."""
    halves = [texts[name].read_text(encoding="utf-8") for name in (f"{MESSAGE:x}", "ffffffff")]
    (tmp_path / "both.txt").write_text("".join(halves), encoding="utf-8")
    register = tmp_path / "register.jsonl"
    register.write_text('{"message": "0087f5e7", "for": "a"}\n{"message": "ffffffff", "for": "b"}\n')
    options = *given, tmp_path / "both.txt", "--windows"
    lines = stela_("detect", *options).out.splitlines()
    said = [line for line in lines if line.startswith("message ") and "?" not in line]
    assert {line.split()[1] for line in said} == {"0087f5e7:", "ffffffff:"}
    assert all(0 < float(line.split()[-1]) <= 1e-4 for line in said)
    [found] = stela_("detect", *options, "--messages", register, "--json").json
    entries = [each["message"]["entry"]["for"] for each in found["passages"] if each["message"]["sure"]]
    assert sorted(entries) == entries
    assert set(entries) == {"a", "b"}
    assert found["window"]["message"]["hex"] in ("0087f5e7", "ffffffff")


def test_what_is_said_is_no_more_than_is_sure() -> None:
    errors = (2.1e-6, 2.1e-6, 1.0, 1.0)
    partly = Message(0x1F00, 16, errors, 1.0)
    assert said_of_messages([partly]) == (
        "message 1f??: a digit shown is wrong with probability <= 3e-06; a longer text tells the others"
    )
    nothing = replace(partly, errors=(1.0,) * 4)
    assert said_of_messages([nothing]) == "message ????: no digit is sure; a longer text tells more"
    whole = replace(partly, errors=(1e-9,) * 4, error=6.01e-14)
    assert said_of_messages([whole]) == "message 1f00: wrong with probability <= 7e-14"
    assert said_of_messages([whole, partly]) == (
        "messages of 2 texts: 1 read whole, each wrong with probability <= 7e-14; "
        "digits shown as ? are not sure"
    )
    assert said_of_messages([]) is None
    assert [at_most(bound) for bound in (1e-5, 9.5e-3, 1.0)] == ["1e-05", "0.01", "1"]
