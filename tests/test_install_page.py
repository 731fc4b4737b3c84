"""What the pages on installing and citing name is there, and says the same everywhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml
from stela_cli.main import run

import stela_core as stela
from tests.commands import whole_cli

ROOT = Path(__file__).parents[1]
INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
CITE = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
[DOCKERFILE] = [file.read_text(encoding="utf-8") for file in ROOT.glob("plugins/stela-serve/**/Dockerfile")]
SERVICE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
PROJECTS = {
    project["name"]: project
    for file in [ROOT / "pyproject.toml", *ROOT.glob("plugins/stela-*/pyproject.toml")]
    for project in [tomllib.loads(file.read_text(encoding="utf-8"))["project"]]
}
"""By distribution."""


def commands(program: str) -> list[list[str]]:
    """The lines of the page's code that begin with a program's name, parted into words."""
    code = "".join(re.findall(r"^```\n(.*?)^```", INSTALL, re.MULTILINE | re.DOTALL))
    return [shlex.split(line) for line in code.splitlines() if line.startswith(f"{program} ")]


def test_distributions_and_extras_are_there() -> None:
    named = re.findall(r"\bstela-(?!serve detect)[a-z0-9]+(?:\[[a-z,]+\])?", INSTALL)
    assert len(named) >= 20
    for each in named:
        name, _, extras = each.rstrip("]").partition("[")
        assert name in PROJECTS, name
        known = PROJECTS[name].get("optional-dependencies", {})
        assert {extra for extra in extras.split(",") if extra} <= set(known), each


def test_every_extra_that_a_user_asks_for_is_named() -> None:
    extras = set(PROJECTS["stela-core"]["optional-dependencies"])
    named = ",".join(re.findall(r"stela-core\[([a-z,]+)\]", INSTALL)).split(",")
    assert extras == set(named)


def test_python_is_the_one_that_is_asked_for() -> None:
    [oldest] = re.findall(r"Python (\S+) or newer", INSTALL)
    assert PROJECTS["stela-core"]["requires-python"] == f">={oldest}"


def test_what_is_installed_from_a_clone_is_there() -> None:
    lines = [words for words in commands("pip") if "." in words or "-r" in words]
    assert len(lines) == 2
    for words in lines:
        for path in words[2:]:
            assert path.startswith("-") or (ROOT / path).exists(), path


def test_light_lines_install_no_torch() -> None:
    """The page says that torch comes with ``[generate]`` only."""
    for name in ("stela-core", "stela-learned", "stela-kgw"):
        required = " ".join(PROJECTS[name].get("dependencies", []))
        assert not re.search(r"\b(torch|transformers)\b|\[", required), name


def test_image_of_the_container_has_the_command(registry: stela.Registry) -> None:
    [words] = commands("docker")
    image, *arguments = words[words.index("--entrypoint") + 2 :]
    assert words[words.index("--entrypoint") + 1] == "stela"
    assert f"-t {image} ." in SERVICE
    assert 'ENTRYPOINT ["stela", ' in DOCKERFILE
    assert "## In a container" in SERVICE
    assert arguments[0] in whole_cli(registry).commands


def test_options_of_commands_are_known(registry: stela.Registry) -> None:
    for program, start in (("uvx", "stela"), ("docker", "stela-serve")):
        [words] = commands(program)
        _, *arguments = words[len(words) - 1 - words[::-1].index(start) :]
        command = whole_cli(registry).commands[arguments[0]]
        known = {name for option in command.params for name in option.opts}
        assert {word for word in arguments if word.startswith("--")} <= known


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert f"`{capsys.readouterr().out.strip()}`" in INSTALL


def test_completion_is_printed_for_each_shell(capsys: pytest.CaptureFixture[str]) -> None:
    shells = re.findall(r"stela completion (\w+)", INSTALL)
    assert shells == ["bash", "zsh", "fish"]
    for shell in shells:
        assert run(["completion", shell]) == 0
        assert "_STELA_COMPLETE" in capsys.readouterr().out


def test_citation_says_the_same_in_both_places() -> None:
    file = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(file)
    assert f"title = {{{file['title']}}}" in CITE
    assert f"author = {{{{{file['authors'][0]['name']}}}}}" in CITE
    [paper] = file["references"]
    title = re.sub(r"[{}]", "", CITE)
    assert f"title = {paper['title']}," in title
    names = " and ".join(f"{one['family-names']}, {one['given-names']}" for one in paper["authors"])
    assert f"author = {{{names}}}" in CITE
    assert f"pages = {{{paper['start']}--{paper['end']}}}" in CITE
    assert f"version = {{{PROJECTS['stela-core']['version']}}}" in CITE
    assert str(PROJECTS["stela-core"]["license"]).startswith(file["license"])
