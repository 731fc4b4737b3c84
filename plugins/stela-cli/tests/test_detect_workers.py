"""``stela detect --workers``: the same lines, whoever tests."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest
from stela_cli.detect_jobs import ExamineForOne, ExamineOptions, TextGroup
from stela_testing.texts import little_english, marked_text

import stela_core as stela
from tests.commands import Stela
from tests.tiers import Draws


@pytest.fixture
def texts(marked_texts: Path, tmp_path: Path) -> Path:
    """Texts of two marks and of nobody, and a file that is none."""
    folder = tmp_path / "texts"
    shutil.copytree(marked_texts, folder)
    (folder / "none.txt").write_bytes(b"\xff\xfe\x00\x01\xff")
    return folder


@pytest.mark.deep(keep=["options0"])
@pytest.mark.slow
@pytest.mark.parametrize("options", [["--json", "--tokens"], ["--csv", "--windows"], []])
def test_lines_are_those_of_one_process(
    options: list[str], stela_: Stela, profiles: dict[str, Path], texts: Path
) -> None:
    asked = ("detect", "--profile", profiles["secret"], "--key-file", profiles["key"], *options, texts)
    alone, together = stela_(*asked), stela_(*asked, "--workers", 2)
    assert together.status == alone.status == 2
    assert together.out == alone.out
    assert together.err.count("none.txt") == alone.err.count("none.txt") == 1


@pytest.mark.slow
def test_profiles_of_a_folder(
    stela_: Stela, profiles: dict[str, Path], texts: Path, tmp_path: Path, draws: Draws
) -> None:
    """In ``make test`` without the one whose tagger each process loads."""
    for name in ("kgw", "secret", "stela")[: draws(3, 2)]:
        shutil.copy(profiles[name], tmp_path)
    asked = ("detect", "--profiles", tmp_path, "--key-file", profiles["key"], texts, "--json")
    alone, together = stela_(*asked), stela_(*asked, "--workers", 2)
    assert together.out == alone.out
    assert together.out.count('"watermarked"') >= 2


def test_an_executor_that_is_not_there_is_one_line(
    stela_: Stela, profiles: dict[str, Path], texts: Path
) -> None:
    ended = stela_("detect", "--profile", profiles["kgw"], texts / "kgw.txt", "--executor", "clouds")
    assert ended.status == 2
    [line] = ended.err.splitlines()[:1]
    assert "clouds" in line


def test_what_travels_is_what_a_worker_needs(profiles: dict[str, Path], registry: stela.Registry) -> None:
    asked = ExamineOptions(True, False, False, {}, None, None, ())
    mark = stela.load(profiles["kgw"], registry=registry)
    job = pickle.loads(pickle.dumps(ExamineForOne(str(profiles["kgw"]), None, None, asked, mark)))
    assert job.watermark is None, "it is loaded where the texts are tested"
    job.start()
    part = TextGroup(["a", "b"], [marked_text(mark), little_english()[:900]], None)
    examined = job.run(part)
    assert examined.sources == part.sources
    assert examined.results == mark.detect_many(part.texts, as_it_is=True)
    assert [one.watermarked for one in examined.results] == [True, False]
    assert [one.evidence for one in examined.results] == [None, None], "nobody asked for the tokens"


def test_tokens_travel_where_they_are_shown(profiles: dict[str, Path], registry: stela.Registry) -> None:
    asked = ExamineOptions(True, False, False, {}, None, None, (), tokens=True)
    job = ExamineForOne(str(profiles["kgw"]), None, None, asked)
    job.start()
    [detection] = job.run(TextGroup(["a"], [little_english()[:900]], None)).results
    [sent] = pickle.loads(pickle.dumps([detection]))
    assert sent.tokens == stela.load(profiles["kgw"], registry=registry).detect(little_english()[:900]).tokens
