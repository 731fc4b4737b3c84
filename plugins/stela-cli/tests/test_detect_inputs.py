"""``stela detect`` on what people give it: pipes, folders, files of which some are bad."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from stela_testing.texts import ENGLISH

from tests.commands import Stela
from tests.marked import golden


@pytest.fixture(scope="module")
def marked() -> str:
    """The record that ``stela generate --json`` prints under the profile kgw."""
    return json.dumps(golden("kgw").record) + "\n"


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> object:
    def give(data: bytes | str) -> None:
        stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
        monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": stream})())

    return give


@pytest.mark.slow
def test_generated_records_are_found_in_a_pipe(
    stela_: Stela, profiles: dict[str, Path], pipe, marked: str
) -> None:
    pipe(marked * 3)
    found = stela_("detect", "--profile", profiles["kgw"], "-", "--json")
    assert found.status == 0
    assert [d["verdict"] for d in found.json] == ["watermarked"] * 3
    assert [d["source"] for d in found.json] == [f"standard input:{n}" for n in (1, 2, 3)]
    assert found.err == "note: standard input is taken for JSON lines; --format names another kind\n"
    pipe(marked)
    [as_prose] = stela_("detect", "--profile", profiles["kgw"], "-", "--json", "--format", "text").json
    assert as_prose["source"] == "standard input"
    assert as_prose["scored_tokens"] > 2 * found.json[0]["scored_tokens"], "prompt and numbers, too"
    pipe(json.loads(marked)["text"])
    prose = stela_("detect", "--profile", profiles["kgw"], "-", "--json")
    assert prose.json[0]["verdict"] == "watermarked"
    assert "taken for plain text" in prose.err


@pytest.mark.slow
def test_empty_pipe_is_a_mistake(stela_: Stela, profiles: dict[str, Path], pipe) -> None:
    pipe(b"")
    found = stela_("detect", "--profile", profiles["kgw"], "-")
    assert found.status == 2
    assert found.out == ""
    assert "error: standard input is empty" in found.err


def test_bad_texts_are_reported_and_the_others_tested(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        f'{json.dumps({"text": ENGLISH})}\n{{"text": ""}}\n{{"text": "\\ud800"}}\n{{"text": 1}}\n'
    )
    picture = tmp_path / "b.png"
    picture.write_bytes(b"\x89PNG")
    found = stela_("detect", "--profile", profiles["kgw"], tmp_path / "none.txt", picture, file, "--json")
    assert found.status == 2
    assert [d["source"] for d in found.json] == [f"{file}:1", f"{file}:2"]
    assert [d["verdict"] for d in found.json] == ["no watermark found", "insufficient text"]
    missing, other, surrogate, number = found.err.splitlines()
    assert "none.txt" in missing
    assert "b.png" in other
    assert "a.jsonl:3 is not well-formed unicode: lone surrogate at character 0" in surrogate
    assert "a.jsonl:4" in number
    assert all(line.startswith("error: ") for line in (missing, other, surrogate, number))


def test_many_problems_are_counted(stela_: Stela, profiles: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n" * 50 + '{"text": "a"}\n')
    found = stela_("detect", "--profile", profiles["kgw"], file, "--json")
    assert (found.status, len(found.json)) == (2, 1)
    assert len(found.err.splitlines()) == 21
    assert "error: 30 more texts could not be tested" in found.err


def test_nothing_is_loaded_where_nothing_can_be_read(stela_: Stela, tmp_path: Path) -> None:
    found = stela_("detect", "--profile", tmp_path / "none.stela", tmp_path / "none.txt")
    assert found.status == 2
    assert "none.txt" in found.err
    assert "none.stela" not in found.err


@pytest.mark.slow
def test_folder(stela_: Stela, profiles: dict[str, Path], tmp_path: Path, marked: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(marked)
    (tmp_path / "in" / "b.txt").write_text(ENGLISH)
    (tmp_path / "in" / "c.png").write_bytes(b"\x89PNG")
    found = stela_("detect", "--profile", profiles["kgw"], tmp_path / "in")
    assert found.status == 0
    assert "2 texts: 1 watermarked" in found.out
    assert "left out c.png" in found.err


@pytest.mark.parametrize("option", [(), ("--json",), ("--csv",), ("--quiet",)])
def test_folder_has_a_total(
    stela_: Stela, profiles: dict[str, Path], marked_texts: Path, tmp_path: Path, option: tuple[str, ...]
) -> None:
    """The last line, beside the results where those are for programs; one text on its own has none."""
    for name in ("kgw.txt", "human.txt"):
        (tmp_path / name).write_bytes((marked_texts / name).read_bytes())
    (tmp_path / "bad.jsonl").write_text("{}\n{}\n")
    total = (
        "total: 2 texts tested: 1 watermarked, 1 no watermark found, 0 insufficient text; "
        "2 could not be tested"
    )
    found = stela_("detect", "--profile", profiles["kgw"], tmp_path, *option)
    assert found.status == 2
    if option:
        assert total not in found.out
        assert ("total:" in found.err) == (option != ("--quiet",))
    shown = found.err if option else found.out
    assert option == ("--quiet",) or shown.splitlines()[-1] == total
    if option == ("--json",):
        assert len(found.json) == 2
    alone = stela_("detect", "--profile", profiles["kgw"], tmp_path / "kgw.txt", *option)
    assert "total:" not in alone.out + alone.err


def test_total_of_several_profiles_says_whose_marks(
    stela_: Stela, profiles: dict[str, Path], marked_texts: Path
) -> None:
    detect = ("detect", "--profiles", profiles["kgw"].parent, "--key-file", profiles["key"], marked_texts)
    shown = stela_(*detect).out.splitlines()[-1]
    assert "total: 3 texts tested: 2 watermarked, 1 no watermark found, 0 insufficient text" in shown
    # Two profiles have one key: both name its mark.
    assert "marks found: kgw.stela 1, stela.stela 1, secret.stela 1" in shown


@pytest.mark.slow
def test_prompts_go_with_texts_only_where_all_can_be_read(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, marked: str
) -> None:
    profile = tmp_path / "ewd.stela"
    new = ("profile", "new", "--model", "tiny", "--public-key", "--scheme", "ewd", "-o", profile)
    assert stela_(*new).status == 0
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(marked * 2)
    bad.write_text(marked + "{}\n")
    detect = ("detect", "--profile", profile, "--model", "tiny", "--json", "--prompts", good)
    assert len(stela_(*detect, good).json) == 2
    refused = stela_(*detect, bad)
    assert (refused.status, refused.out) == (2, "")
    assert "bad.jsonl:2" in refused.err


def test_results_are_printed_as_their_batch_is_done(
    stela_: Stela, profiles: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third batch that cannot be read leaves the lines of the first two, and texts are read as needed."""
    from stela_cli import detect as command
    from stela_cli.detect_output import JsonLines

    monkeypatch.setattr("stela_cli.detect_jobs.BATCH", 2)
    read: list[int] = []
    shown: list[int] = []

    def texts_of(*_: object):  # type: ignore[no-untyped-def]
        for number in range(6):
            read.append(number)
            shown.append(printed[0])
            yield command.Text(f"t{number}", ENGLISH)

    printed = [0]
    add = JsonLines.add

    def count(self: object, source: str, detection: object) -> None:
        printed[0] += 1
        add(self, source, detection)  # type: ignore[arg-type]

    monkeypatch.setattr("stela_cli.detect_steps.texts_of", texts_of)
    monkeypatch.setattr(JsonLines, "add", count)
    file = tmp_path / "a.txt"
    file.write_text(ENGLISH)
    assert len(stela_("detect", "--profile", profiles["kgw"], file, "--json").json) == 6
    assert shown == [0, 0, 0, 2, 2, 4]
