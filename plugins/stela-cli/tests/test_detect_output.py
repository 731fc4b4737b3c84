"""``stela detect``: what it prints, and its exit status."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from stela_cli.rows import READ
from stela_testing.texts import ENGLISH, KOREAN

from stela_core.detection.result import FIELDS
from tests.commands import Stela
from tests.marked import golden

pytestmark = pytest.mark.slow


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A marked text, one that is not, and an empty one."""
    contents = {"marked": golden("kgw").text() + "\n", "plain": ENGLISH, "empty": ""}
    for name, content in contents.items():
        (tmp_path / f"{name}.txt").write_text(content, encoding="utf-8")
    return {name: tmp_path / f"{name}.txt" for name in contents}


def test_csv_has_the_numbers_of_json(
    stela_: Stela, profiles: dict[str, Path], files: dict[str, Path]
) -> None:
    options = ("detect", "--profile", profiles["kgw"], *files.values(), "--windows")
    as_json, as_csv = stela_(*options, "--json").json, stela_(*options, "--csv")
    assert as_csv.status == 0
    header, *rows = csv.reader(as_csv.out.splitlines())
    windows = ["window_start", "window_end", "window_p_value"]
    assert header == ["source", *FIELDS, "p_alike", *windows, "power", *READ]
    for row, found in zip(rows, as_json, strict=True):
        assert row[:2] == [found["source"], found["verdict"]]
        numbers = FIELDS[1 : FIELDS.index("caveat")]
        assert [float(value) for value in row[2:9]] == [found[name] for name in numbers]
        assert row[9:11] == ["", ""]  # this user's own profile: no caveat, no second p-value
        passage = found.get("window")
        wanted = [str(passage[n]) for n in ("start", "end", "p_value")] if passage else ["", "", ""]
        assert row[11:14] == wanted
        assert row[14:] == [str(found["power"]), found["reading"], str(found["readings"])]
    assert [row[0] for row in rows] == [str(file) for file in files.values()]
    plain = stela_("detect", "--profile", profiles["kgw"], files["plain"], "--csv").out.splitlines()
    assert plain[0] == ",".join(["source", *FIELDS, "p_alike", "power", *READ])


@pytest.mark.parametrize(
    ("names", "status"),
    [(["marked"], 0), (["marked", "marked"], 0), (["marked", "plain"], 1), (["plain"], 1), (["empty"], 1)],
)
def test_exit_code_and_quiet(
    stela_: Stela, profiles: dict[str, Path], files: dict[str, Path], names: list[str], status: int
) -> None:
    detect = ("detect", "--profile", profiles["kgw"], *(files[name] for name in names))
    assert stela_(*detect).status == 0
    loud = stela_(*detect, "--exit-code", "--json")
    assert (loud.status, len(loud.json)) == (status, len(names))
    quiet = stela_(*detect, "--quiet")
    assert quiet == (status, "", "")
    broken = stela_(*detect, "none.txt", "-q")
    assert (broken.status, broken.out) == (2, "")
    assert "none.txt" in broken.err


def test_outputs_exclude_each_other(stela_: Stela, profiles: dict[str, Path], files: dict[str, Path]) -> None:
    detect = ("detect", "--profile", profiles["kgw"], files["plain"])
    for options in (("--json", "--csv"), ("--quiet", "--json"), ("--csv", "--tokens")):
        refused = stela_(*detect, *options)
        assert (refused.status, refused.out) == (2, "")
        assert refused.err.startswith("error: ")


def test_table_names_each_text_and_counts(
    stela_: Stela, profiles: dict[str, Path], files: dict[str, Path]
) -> None:
    shown = stela_("detect", "--profile", profiles["kgw"], *files.values(), "--windows", "--tokens").out
    assert "3 texts: 1 watermarked; median z" in shown
    assert "watermarked means p-value <= 0.001; no verdict says who wrote a text" in shown
    for file in files.values():
        assert str(file) in shown
    assert "look marked most" in shown
    assert "' in'" in shown


def test_names_and_texts_are_escaped_for_the_terminal(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "a\x1b[31m\u202e.txt"
    file.write_text("He wrote \x1b]0;title\x07 and \u202e in it, again and again. " * 5)
    for options in ((), ("--tokens",), ("--windows",), ("--csv",)):
        shown = stela_("detect", "--profile", profiles["kgw"], file, *options)
        assert not {"\x1b", "\x07", "\u202e"} & set(shown.out + shown.err)
        assert "a\\x1b[31m\\u202e.txt" in shown.out
    [found] = stela_("detect", "--profile", profiles["kgw"], file, "--json").json
    assert found["source"] == str(file)
    assert json.dumps(found)


def test_rules_are_the_profiles_unless_others_are_asked_for(stela_: Stela, tmp_path: Path) -> None:
    old = Path(__file__).parents[3] / "tests" / "profile" / "data" / "before_rules.stela"
    text = tmp_path / "text.txt"
    text.write_text(KOREAN * 3, encoding="utf-8")
    command = ("detect", "--profile", old, text, "--json")
    as_before, asked, undone = (
        stela_(*command, *options).json[0]
        for options in (
            (),
            ("--scoring", "repeats=mean", "--scoring", "ties=split"),
            ("--scoring", "repeats=sum", "--scoring", "ties=whole"),
        )
    )
    assert as_before == undone
    assert asked["z"] != as_before["z"]
    assert asked["z_plain"] == as_before["z_plain"]
    assert "repeats = sum, ties = whole" in " ".join(stela_("profile", "show", old).out.split())
    wrong = stela_(*command, "--scoring", "repeat=mean")
    assert wrong.status == 2
    assert 'scorer "grouped" has no parameter "repeat".' in wrong.err
