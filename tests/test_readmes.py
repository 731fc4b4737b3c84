"""READMEs of plugins: they open with a sentence, are short, and what they show runs."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import torch
from stela_cli.main import run
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import new_keys_are, words_in

ROOT = Path(__file__).parents[1]
READMES = sorted(ROOT.glob("plugins/*/README.md"))
KEY = 0x5EED
"""In place of the key that --public-key draws, so that each run marks the same text."""
LONGEST = 400
"""Words of a README; most have far fewer."""
PRIVATE = (
    *("at home", "told apart", "can be told", "nowhere else", "beside", "alone", "of its own"),
    *("of their own", "takes away", "what finds most", "bears a mark", "the house"),
)
"""Phrases that say "only", "next to" and "separate" less plainly, or that the field does not know."""
PAIR = re.compile(r"```python\n(.*?)```\n+```text\n(.*?)```", re.DOTALL)
OF_A_RUN = {"stela-analysis"}
"""Their Python reads the records of an experiment."""


def text_of(readme: Path) -> str:
    return readme.read_text(encoding="utf-8")


def name_of(readme: Path) -> str:
    return readme.parent.name


def block(readme: Path) -> list[str]:
    """The commands of ``stela`` in the first block."""
    [first, *_] = re.findall(r"```\n(.*?)```", text_of(readme), re.DOTALL)
    return [line for line in first.splitlines() if line.startswith("stela ")]


@pytest.mark.parametrize("readme", READMES, ids=name_of)
def test_opens_with_one_sentence_and_says_how_to_install(readme: Path) -> None:
    title, purpose, *_ = text_of(readme).split("\n\n")
    assert title == f"# {name_of(readme).replace('_template', 'stela-template')}"
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", purpose)
    assert re.fullmatch(r"[^\n]+\.", plain)
    assert words_in(plain) <= 35
    assert not re.search(r"[a-z]{3,}\. [A-Z]", plain.replace("et al. ", "")), "more than one sentence"
    assert re.search(r"^pip install ", text_of(readme), re.MULTILINE)


@pytest.mark.parametrize("readme", READMES, ids=name_of)
def test_is_short_and_plain(readme: Path) -> None:
    text = text_of(readme)
    assert words_in(text) <= LONGEST
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL).lower()
    assert [phrase for phrase in PRIVATE if re.search(rf"\b{phrase}\b", prose)] == []


def test_most_are_shorter_still() -> None:
    assert sum(words_in(text_of(readme)) > 300 for readme in READMES) <= 15


@pytest.mark.deep(keep=["_template", "stela-kernels"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "readme",
    [one for one in READMES if PAIR.search(text_of(one)) and name_of(one) not in OF_A_RUN],
    ids=name_of,
)
def test_python_prints_what_the_readme_shows(
    readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if name_of(readme) == "_template":
        plugin = readme.parent / "stela_template" / "__init__.py"
        made = stela.create_registry([plugin])
        monkeypatch.setattr(stela, "create_registry", lambda: made)
    Path("texts.jsonl").write_text('{"text": "The city grew."}\n', encoding="utf-8")
    stela.create("kgw", model="tiny", key="public").save("p.stela")
    for code, shown in PAIR.findall(text_of(readme)):
        capsys.readouterr()
        exec(code, {})
        assert capsys.readouterr().out == shown


@pytest.mark.deep(keep=["stela-kgw"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "readme", [one for one in READMES if "\nstela generate " in text_of(one).split("## ")[0]], ids=name_of
)
def test_commands_mark_and_find(
    readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, KEY)
    torch.manual_seed(0)
    commands = block(readme)
    assert [command.split()[1] for command in commands] == ["profile", "generate", "detect"]
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert " watermarked " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["interop", "page", "sign", "tables"])
def test_other_commands_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = ROOT / "plugins" / f"stela-{name}" / "README.md"
    monkeypatch.chdir(tmp_path)
    if name in {"page", "sign"}:
        stela.create("kgw", model="tiny", key="public").save("p.stela")
    Path("text.txt").write_text(ENGLISH, encoding="utf-8")
    Path("texts.jsonl").write_text(json.dumps({"text": ENGLISH}) + "\n", encoding="utf-8")
    for setting in re.findall(r"`(\{\"greenlist_ratio.*?\})`", text_of(readme)):
        Path("watermark.json").write_text(setting, encoding="utf-8")
    commands = block(readme)
    assert commands
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err


@pytest.mark.deep(keep=["stela-analysis"])
@pytest.mark.slow
@pytest.mark.parametrize(
    "readme",
    [*[one for one in READMES if "[languages.en]\n" in text_of(one)], ROOT / "plugins/stela-watme/README.md"],
    ids=name_of,
)
def test_experiments_can_be_planned(
    readme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    own = readme.parent / "scripts" / "experiment.toml"
    found = re.findall(r"```toml\n(model.*?)```", text_of(readme), re.DOTALL)
    [file] = found or [own.read_text(encoding="utf-8")]
    Path("experiment.toml").write_text(file, encoding="utf-8")
    assert run(["run", "experiment.toml", "--dry-run"]) == 0, capsys.readouterr().err
