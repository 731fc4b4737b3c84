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
    for file in [
        ROOT / "pyproject.toml",
        ROOT / "bundle" / "pyproject.toml",
        *ROOT.glob("plugins/stela-*/pyproject.toml"),
    ]
    for project in [tomllib.loads(file.read_text(encoding="utf-8"))["project"]]
}
"""By distribution."""


def commands(program: str) -> list[list[str]]:
    """The lines of the page's code that begin with a program's name, parted into words."""
    code = "".join(re.findall(r"^```\n(.*?)^```", INSTALL, re.MULTILINE | re.DOTALL))
    return [shlex.split(line) for line in code.splitlines() if line.startswith(f"{program} ")]


def words_to_install() -> list[str]:
    """What the page says that WITH names, in the table and in its lines."""
    cells = re.findall(r"^\| [^|]+ \| (.*) \|$", INSTALL, re.MULTILINE)
    in_table = [word for cell in cells for word in re.findall(r"`([a-z0-9,\[\]]+)`", cell)]
    return in_table + [
        word for words in commands("make") for one in words if "WITH=" in one for word in one[5:].split()
    ]


def test_distributions_and_extras_are_there() -> None:
    named = re.findall(r"\bstela-(?!serve detect)[a-z0-9]+(?:\[[a-z,]+\])?", INSTALL)
    of_bundle = PROJECTS["stela-watermark"]["optional-dependencies"]
    named += [f"stela-{word}" for word in words_to_install() if word not in of_bundle and word != "detect"]
    assert len(named) >= 20
    for each in named:
        name, _, extras = each.rstrip("]").partition("[")
        assert name in PROJECTS, name
        known = PROJECTS[name].get("optional-dependencies", {})
        assert {extra for extra in extras.split(",") if extra} <= set(known), each


def test_every_extra_that_a_user_asks_for_is_named() -> None:
    words = {*words_to_install(), *re.findall(r"--extra (\w+)", INSTALL)}
    of_bundle = set(PROJECTS["stela-watermark"]["optional-dependencies"])
    assert of_bundle <= words
    extras = set(PROJECTS["stela-core"]["optional-dependencies"])
    named = ",".join(re.findall(r"`core\[([a-z,]+)\]`", INSTALL)).split(",")
    # What the bundle always brings needs no extra.
    assert extras - {"documents"} == {*named, *words} & extras
    assert "stela-documents" in " ".join(PROJECTS["stela-watermark"]["dependencies"])


def test_python_is_the_one_that_is_asked_for() -> None:
    [oldest] = re.findall(r"Python (\S+) or newer", INSTALL)
    assert PROJECTS["stela-core"]["requires-python"] == f">={oldest}"


def test_what_is_installed_from_a_clone_is_there() -> None:
    assert "install:" in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    paths = [word for words in commands("uv") for word in words if "/" in word]
    assert paths
    for path in paths:
        assert (ROOT / path / "pyproject.toml").exists(), path


def test_light_lines_install_no_torch() -> None:
    """The page says that torch comes with ``generate`` and ``ctb`` only (tests/test_distributions.py)."""
    for name in ("stela-core", "stela-learned", "stela-kgw", "stela-watermark"):
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
