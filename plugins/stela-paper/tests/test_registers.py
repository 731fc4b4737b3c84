"""Prompts of code and talk, and what is printed of their runs."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner
from stela_paper.command import paper
from stela_paper.prompts import cut
from stela_paper.results.registers import shares

from .made_up import MadeUp

LINE = "        total = first + second  # what both have, and a little more\n"


def test_pairs_are_whole_lines_with_enough_behind_them() -> None:
    lines = [f"{number:03} {LINE}" for number in range(40)]
    pair = cut(lines)
    assert pair is not None
    first, *_, last = pair.prompt.splitlines()
    assert (first, last) == (lines[0].rstrip(), lines[4].rstrip()), "up to 300 characters, by lines"
    assert pair.continuation.startswith(lines[5])
    assert cut(lines[:9]) is None


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two modules with methods, one of them too short."""
    folder = tmp_path / "some_package_of_ours"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    methods = "".join(f"\n    def method_{number}(self):\n{LINE * 6}" for number in range(9))
    (folder / "long.py").write_text(f"class Long:\n{LINE}{methods}")
    (folder / "short.py").write_text(f"class Short:\n    def only(self):\n{LINE}")
    monkeypatch.syspath_prepend(tmp_path)
    return folder.name


def test_prompts_of_code_and_of_talk(package: str, tmp_path: Path) -> None:
    sentences = [
        f"# text = Sentence {number} says that the food was good and we came again." for number in range(20)
    ]
    documents = [
        f"# newdoc id = {name}\n" + "\n1\tx\n".join(sentences)
        for name in ("reviews-1", "weblog-2", "email-3")
    ]
    with lzma.open(tmp_path / "en-train.conllu.xz", "wt", encoding="utf-8") as file:
        file.write("\n".join(documents))
    out = tmp_path / "out"
    packages = ["--package", package, "--package", "no_such_package"]
    told = CliRunner().invoke(paper, ["prompts", "--ewt", str(tmp_path), *packages, "-o", str(out)])
    assert told.exit_code == 0
    rows = {}
    for register in ("code", "talk"):
        with gzip.open(out / register / "prompts" / "en.jsonl.gz", "rt", encoding="utf-8") as file:
            rows[register] = [json.loads(line) for line in file]
    [code] = rows["code"]
    assert code["prompt"].startswith("    def method_"), "from the middle of a file, where a method begins"
    assert len(rows["talk"]) == 2, "of the genres of talk"
    assert rows["talk"][0]["prompt"].startswith("Sentence 0 says")
    assert "1 of 1 pairs" in told.output


def test_shares_of_a_run() -> None:
    """In made-up runs `learned-text` goes 0.8 of EWD's way, and lambda none of it."""
    rows = shares(MadeUp(Path("registers"))).splitlines()
    assert len(rows) == 2 + 2 * 6
    assert "| 50 | kgw | 4.00 | – |" in rows[2]
    assert any(row.startswith("| 100 | kgw+learned-text | 4.40 | 0.80 [") for row in rows)
    assert any(row.startswith("| 100 | kgw+stela | 4.00 | 0.00 [") for row in rows)
