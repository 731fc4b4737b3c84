"""The protocols of the field run, and their page names what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import stela_run
from stela_cli.main import run
from stela_paper.experiment_files import FOLDER

import stela_core as stela

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "protocols.md").read_text("utf-8")
METRICS = (DOCS / "metrics.md").read_text("utf-8")
FILES = sorted(FOLDER.glob("protocol-*.toml"))


def test_the_page_names_all_of_them() -> None:
    assert len(FILES) == 5
    assert set(re.findall(r"^\| `(protocol-\w+)` \|", PAGE, re.MULTILINE)) == {file.stem for file in FILES}


def test_what_the_page_and_the_files_name_is_installed(registry: stela.Registry) -> None:
    """In comments, too: whoever has the models takes the sign away."""
    known = {*registry.names(stela_run.Attack), *registry.names(stela_run.Metric)}
    table = METRICS.split("## MarkLLM's names here")[1]
    named = set(re.findall(r"`([a-z]+-[a-z-]+|wordnet|roc|judge)`", table))
    for file in FILES:
        named |= set(re.findall(r'\{ name = "([\w-]+)"', file.read_text("utf-8")))
    assert len(named) > 12
    assert named <= known


@pytest.mark.deep(keep=["protocol-markllm"])
@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_runs(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few texts of a small model, without what has to be downloaded, and without figures."""
    monkeypatch.setattr("stela_run.report.write.sections_of", lambda view, said: [])
    content = re.sub(r'^ *\{ name = "wordnet".*\n', "", file.read_text("utf-8"), flags=re.MULTILINE)
    content = re.sub(r"^human = .*\n", "", content, flags=re.MULTILINE)
    content = re.sub(r"^lengths = .*", "lengths = [20]", content, flags=re.MULTILINE)
    content = re.sub(r"^skip = .*", "", content, flags=re.MULTILINE)
    (tmp_path / "it.toml").write_text(content, "utf-8")
    out = tmp_path / "out"
    small = ("--texts", "2", "--model", "tiny-small", "--executor", "local")
    assert run(["run", str(tmp_path / "it.toml"), "-o", str(out), *small]) == 0
    records = [json.loads(line) for line in (out / "records.jsonl").read_text("utf-8").splitlines()]
    attacks = len(re.findall(r'^  (?:"none"|\{ name)', content, re.MULTILINE))
    schemes = len(re.findall(r"^\[\[schemes\]\]", content, re.MULTILINE))
    assert len(records) == attacks * schemes
    assert not any("error" in record for record in records)
    if file.stem == "protocol-markmywords":
        plain = [record["values"] for record in records if record["attack"] == "none"]
        assert any("size@0.02" in values for values in plain)
    if file.stem == "protocol-waterseeker":
        assert all("f1@1e-06:windows" in record["values"] for record in records)
        assert all("f1@1e-06:seeker" in record["values"] for record in records)
