"""Docs are checked against the code, and the code in them runs."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import torch

import stela_core as stela
from stela_core.cli.main import run
from stela_core.generation.load import location_of
from stela_core.profile.schema import Profile

ROOT = Path(__file__).parents[1]
KEY = 0x5EED
"""In place of the key that --public-key draws, so that each run generates the same text."""
DOCS = sorted((ROOT / "docs").glob("*.md"))


def test_profile_schema_is_the_published_one() -> None:
    published = json.loads((ROOT / "docs" / "profile.schema.json").read_text(encoding="utf-8"))
    assert published == Profile.model_json_schema()


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_architecture_fits_on_one_page() -> None:
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80


def test_readme_commands_and_example(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    registry: stela.Registry,
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("stela_core.cli.profile_new.new_key", lambda: KEY)
    corpus = "".join(json.dumps({"text": line}) + "\n" for line in readme.split("\n\n"))
    Path("corpus.jsonl").write_text(corpus, encoding="utf-8")
    commands = re.findall(r"^stela .*$", readme, re.MULTILINE)
    assert len(commands) >= 7
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert "watermarked" in capsys.readouterr().out
    [example] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    scope: dict[str, object] = {"model_name": location_of(registry, "tiny")}
    torch.manual_seed(0)
    exec(example, scope)
    detection = scope["detection"]
    assert isinstance(detection, stela.Detection)
    assert detection.verdict == "watermarked"


def test_readme_shows_the_two_commands_first() -> None:
    [first, *_] = re.findall(r"```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]


def test_weighting_of_the_docs_marks_and_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("stela_core.cli.profile_new.new_key", lambda: KEY)
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code.splitlines()) <= 25
    Path("nouns.py").write_text(code, encoding="utf-8")
    for command in re.findall(r"^stela .*$", page, re.MULTILINE):
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert "watermarked" in capsys.readouterr().out


def test_table_of_schemes_is_what_is_registered(registry: stela.Registry) -> None:
    page = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")
    for name in registry.names(stela.Scheme):
        scheme = registry.get(stela.Scheme, name)
        detects = "no" if "logits" in registry.get(stela.Weighting, scheme.evidence).needs else "yes"
        row = [
            f"`{name}`",
            scheme.paper,
            scheme.hasher,
            scheme.strength,
            scheme.evidence,
            scheme.scorer,
            detects,
        ]
        assert f"| {' | '.join(row)} |" in page
