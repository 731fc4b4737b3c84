"""Commands, files and figures of the pages for researchers are those of the code."""

from __future__ import annotations

import json
import lzma
import re
import shlex
from pathlib import Path

import pytest
import stela_learned
from stela_cli.main import run
from stela_run.plan.plan import make_plan
from stela_run.plan.read import read_experiment
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import new_keys_are

DOCS = Path(__file__).parents[1] / "docs"
KEY = 0x5EED


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.deep(keep=["schemes.md-3"])
@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("which-scheme.md", 3), ("schemes.md", 3), ("tagsets.md", 1)])
def test_first_example_runs(
    name: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All commands of the page in its order, and what the last prints begins as is shown."""
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    commands = re.findall(r"^    stela (.*)$", page(name), re.MULTILINE)
    assert len(commands) == count
    for command in commands:
        capsys.readouterr()
        assert run(shlex.split(command)) == 0, capsys.readouterr().err
    [shown] = re.findall(r"```\n(.*?)```", page(name), re.DOTALL)
    assert capsys.readouterr().out.split()[:2] == shown.split()[:2]
    if count == 3:
        assert "watermarked" in shown


@pytest.mark.slow
def test_table_is_learned_and_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two commands of the page on weights, with a small model and a small corpus."""
    monkeypatch.chdir(tmp_path)
    for name in ("news.jsonl.gz", "wiki.jsonl.gz"):
        lines = "".join(json.dumps({"text": f"{ENGLISH} Number {n}."}) + "\n" for n in range(9))
        plain = Path(name.removesuffix(".gz"))
        plain.write_text(lines, encoding="utf-8")
    commands = re.findall(r"^    stela (lambda learn .*|profile new .*)$", page("weights.md"), re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command.replace(".gz", "").replace("--model M ", "--model tiny-small "))
        assert run(words) == 0


def test_experiment_of_the_page_on_weights_is_planned(tmp_path: Path, registry: stela.Registry) -> None:
    [file] = re.findall(r"```toml\n(.*?)```", page("weights.md"), re.DOTALL)
    (tmp_path / "weights.toml").write_text(file, encoding="utf-8")
    experiment = read_experiment(tmp_path / "weights.toml", {})
    assert make_plan(registry, experiment, None).evaluate
    rows = re.findall(r"^\| (kgw\S*) \|", page("weights.md"), re.MULTILINE)
    assert rows == [scheme.name for scheme in experiment.schemes]


def test_sizes_of_tables_are_those_of_the_files() -> None:
    folder = Path(stela_learned.__file__).parent / "tables"
    told = dict(reversed(pair) for pair in re.findall(r"(\d\.\d\d) MB \((\w+)\)", page("weights.md")))
    for language, code in {"English": "en", "Chinese": "zh", "Korean": "ko"}.items():
        content = lzma.decompress((folder / f"text-{code}.json.xz").read_bytes())
        assert told[language] == f"{len(content) / 1e6:.2f}"
