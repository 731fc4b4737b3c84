"""README is short, and everything in it runs in its order and prints what it shows."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shlex
import shutil
from importlib import metadata
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement
from stela_cli.main import run
from stela_models import ModelSource
from stela_serving.settings import ServerSettings

import stela_core as stela
from tests.helpers import new_keys_are, words_in

from .test_readability import paragraphs
from .tiers import Draws

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
LANGUAGES = 2
"""Other languages of the same page, linked in its first line: docs/README.*.md."""
KEEPS_THE_DISTRIBUTION = ("gumbel", "synthid")
"""Over keys: their cost is known, not measured."""
KEY = 0x5EED
"""In place of the key that --public-key draws, so that each run generates the same text."""


def test_it_fits_on_a_few_screens() -> None:
    assert sum(map(words_in, paragraphs(README))) <= 350
    assert sum(len(code.splitlines()) for _, code in BLOCKS) <= 40
    assert len(README.splitlines()) <= 120


def test_the_two_commands_come_first() -> None:
    _, first = BLOCKS[0]
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


def rows_of(name: str) -> list[dict[str, str]]:
    """Rows of a file of results, of English by the first model and temperature."""
    with (ROOT / "docs" / "results" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first = [rows[0][name] for name in ("model", "language", "temperature")]
    return [row for row in rows if [row[name] for name in ("model", "language", "temperature")] == first]


def test_numbers_are_measured_ones() -> None:
    """Each row is that of the mark in the files of the page of families; costs are the expected ones."""
    evidence = {
        (row["mark"], row["tokens"]): row["evidence"]
        for row in rows_of("which.csv")
        if row["attack"] == "none"
    }
    costs = {row["mark"]: f"{float(row['surprisal']):.2f}" for row in rows_of("expected-costs.csv")}
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \| ([^|]+) \|", README, re.MULTILINE)
    assert len(rows) == 5
    for mark, at_50, at_200, cost in rows:
        label = {"kgw": "kgw delta=2.0"}.get(mark, mark)
        assert [evidence[label, "50"], evidence[label, "200"]] == [at_50, at_200]
        expected = {"kgw": "kgw 2"}.get(mark, mark)
        assert cost == ("none" if mark in KEEPS_THE_DISTRIBUTION else costs[expected])


def installed_by(requirements: list[str]) -> set[str]:
    """Distributions of this project that ``pip install`` of these brings, by what is installed here."""
    left, known, names = [Requirement(text) for text in requirements], set(), set()
    while left:
        wanted = left.pop()
        if str(wanted) in known or not wanted.name.startswith("stela-"):
            continue
        known.add(str(wanted))
        names.add(wanted.name)
        for text in metadata.requires(wanted.name) or []:
            needed = Requirement(text)
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                left.append(needed)
    return names


def make_lines() -> list[str]:
    """What the lines of make install, of the extras of stela-watermark."""
    lines = re.findall(r"^make install(.*)$", README, re.MULTILINE)
    words = [word for line in lines for word in shlex.split(line, comments=True)]
    extras = [extra for word in words for extra in word.removeprefix("WITH=").split()]
    return ["stela-watermark", *(f"stela-watermark[{extra}]" for extra in extras)]


@pytest.mark.slow
def test_commands_run_in_order_and_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], draws: Draws
) -> None:
    """In ``make test`` the experiment is of few and short texts; ``make test-deep`` runs it as it is."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    experiment = Path("examples/compare.toml")
    whole = experiment.read_text(encoding="utf-8")
    shorter = whole.replace("texts = 20\n", f"texts = {draws(20, 3)}\n")
    shorter = shorter.replace("[50, 100]", f"[{draws(50, 12)}, {draws(100, 16)}]")
    assert (shorter == whole) == (draws(0, 1) == 0)
    experiment.write_text(shorter, encoding="utf-8")
    new_keys_are(monkeypatch, KEY)
    tiny = stela.create_registry().get(ModelSource, "tiny").location()
    commands, printed = 0, ""
    for language, code in BLOCKS[1:]:
        if language:
            continue
        for line in code.splitlines():
            words = shlex.split(line.replace("$MODEL", str(tiny)), comments=True)
            if words[:1] == ["stela"]:
                assert run(words[1:]) == 0, capsys.readouterr().err
                commands += 1
            elif line.startswith("#  "):
                printed += capsys.readouterr().out
                assert like_numbers(line.removeprefix("# ")) in like_numbers(printed)
            elif "vllm" in words:
                serves(words)
            else:
                assert words[:2] in ([], ["make", "install"], [".", ".venv/bin/activate"]), line
    assert commands == 7
    assert Path("verify.html").stat().st_size > 100_000
    assert Path("runs/compare/report.html").exists()
    needed = {"stela-core", "stela-tiny", "stela-page", "stela-run"}
    needed |= set(stela.load("p.stela").profile.requires)
    assert needed <= installed_by(make_lines())


def like_numbers(text: str) -> str:
    """The text with each number as 0: another processor draws another text."""
    lines = (re.sub(r"[\d.]+(?:e-\d+)?", "0", line).split() for line in text.splitlines())
    return "\n".join(" ".join(line) for line in lines)


def serves(words: list[str]) -> None:
    """vLLM is not here (``make test-vllm`` starts it with this option): what it is given has to be there."""
    at = words.index("vllm")
    assert words[at + 1] == "serve"
    assert Path(words[at + 2]).is_dir()
    assert words[at + 3 :] == ["--logits-processors", "stela_vllm:Processor"]
    [watermark] = ServerSettings.read(dict(setting.split("=", 1) for setting in words[:at])).load().values()
    assert watermark.marker is not None


@pytest.mark.slow
def test_python_prints_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    [example] = [code for language, code in BLOCKS if language == "python"]
    torch.manual_seed(0)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(example, {})
    [shown] = re.findall(r"^# (Detection.*)$", example, re.MULTILINE)
    assert like_numbers(printed.getvalue().strip()) == like_numbers(shown)


def test_languages_say_the_same() -> None:
    """The same blocks (but for comments), numbers and links, in order."""
    pages = sorted((ROOT / "docs").glob("README.*.md"))
    assert len(pages) == LANGUAGES
    for path in pages:
        page = path.read_text(encoding="utf-8")
        blocks = re.findall(r"^```(\w*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        assert list(map(without_comments, blocks)) == list(map(without_comments, BLOCKS)), path.name
        for line, other in zip(tables(README), tables(page), strict=True):
            assert re.findall(r"\d[\d.]*|`[^`]*`", line) == re.findall(r"\d[\d.]*|`[^`]*`", other), path.name
        links = [os.path.relpath(ROOT / link, ROOT / "docs") for link in links_of(README)[LANGUAGES:]]
        assert links_of(page)[LANGUAGES + 1 :] == links, path.name


def without_comments(block: tuple[str, str]) -> tuple[str, str]:
    language, code = block
    return language, re.sub(r"(?<=\S) +# .*", "", code)


def tables(page: str) -> list[str]:
    return re.findall(r"^\|.*$", page, re.MULTILINE)


def links_of(page: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", page)
