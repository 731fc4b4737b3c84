"""``stela profile report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from stela_cli.main import build_cli
from stela_models import ModelSource
from stela_run.reliability.measure import Reliability, measure
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.profile.create import Settings


@pytest.fixture
def profile(tmp_path: Path) -> str:
    file = tmp_path / "p.stela"
    stela.create("kgw", model="tiny", key="public").save(file)
    return str(file)


def run(*words: str) -> tuple[int, str, BaseException | None]:
    done = CliRunner().invoke(build_cli(stela.create_registry()), ["profile", "report", *words])
    return done.exit_code, done.output, done.exception


@pytest.fixture
def measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page and the numbers of a test are of one measurement: both commands ask for the same."""
    made: list[Reliability] = []

    def once(*asked: Any) -> Reliability:
        if not made:
            made.append(measure(*asked))
        return made[0]

    monkeypatch.setattr("stela_run.reliability.measure.measure", once)


@pytest.mark.usefixtures("measured_once")
def test_page_and_numbers(profile: str, tmp_path: Path) -> None:
    words = (profile, "--corpus", "sample-prose:en", "--corpus", "sample-code", "--lengths", "25,50")
    page, numbers = tmp_path / "r.html", tmp_path / "r.json"
    status, output, _ = run(*words, "--texts", "30", "-o", str(page))
    assert status == 0, output
    assert "4 rows of 2 corpora, 120 texts" in output
    content = page.read_text(encoding="utf-8")
    assert "sample-code" in content
    assert "<svg" in content
    assert str(tmp_path) not in content
    assert run(*words, "--texts", "30", "-o", str(numbers))[0] == 0
    rows = json.loads(numbers.read_text())["human"]
    assert [(row["corpus"], row["tokens"], row["texts"]) for row in rows] == [
        ("sample-prose:en", 25, 30),
        ("sample-prose:en", 50, 30),
        ("sample-code", 25, 30),
        ("sample-code", 50, 30),
    ]
    status, _, error = run(*words, "-o", str(page))
    assert status
    assert "exists" in str(error)


@pytest.mark.usefixtures("measured_once")
def test_a_strangers_tokenizer_is_named(registry: stela.Registry, tmp_path: Path) -> None:
    """Two of its ids have changed places, so that it is not a published one."""
    folder = Path(registry.get(ModelSource, "tiny").location())
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    ids = content["model"]["vocab"]
    one, two = list(ids)[-2:]
    ids[one], ids[two] = ids[two], ids[one]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    file, page, numbers = (tmp_path / name for name in ("p.stela", "r.html", "r.json"))
    Settings("kgw").create(registry, tokenizer, 5, True).archive.write(file)
    words = (str(file), "--corpus", "sample-code", "--lengths", "25", "--texts", "30", "-o")
    for out in (page, numbers):
        assert run(*words, str(out))[0] == 0
    assert "its tokenizer is not known here" in page.read_text(encoding="utf-8")
    assert "its tokenizer is not known here" in json.loads(numbers.read_text())["caveat"]


@pytest.mark.parametrize("lengths", ["", "0", "a", "50,-1", "1000000"])
def test_no_lengths(profile: str, lengths: str) -> None:
    status, output, _ = run(profile, "--corpus", "sample-code", "--lengths", lengths, "-o", "never.html")
    assert status == 2
    assert "write 50,100,200" in output


def test_files_go_by_their_names(profile: str, tmp_path: Path) -> None:
    corpus = tmp_path / "mine.jsonl"
    corpus.write_text(
        "".join(json.dumps({"text": f"{number} words of a text " * 9}) + "\n" for number in range(30))
    )
    made = tmp_path / "r.json"
    assert run(profile, "--corpus", str(corpus), "--lengths", "30", "-o", str(made))[0] == 0
    assert json.loads(made.read_text())["human"][0]["corpus"] == "mine.jsonl"
