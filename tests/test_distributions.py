"""What each distribution says of itself: one version for all, and metadata that an index shows."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from stela_cli.main import build_cli
from stela_models.cli.demo import DEMO_MODEL, DEMO_SCHEMES
from stela_models.cli.demo_languages import EMBEDDED

import stela_core as stela
from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
BUNDLE = ROOT / "bundle" / "pyproject.toml"
FILES = [ROOT / "pyproject.toml", BUNDLE, *sorted(ROOT.glob("plugins/*/pyproject.toml"))]
"""The core's, that of what installs most, the plugins' and the template's."""


def read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


NAMES = {read(file)["project"]["name"] for file in FILES}
[VERSION] = {read(file)["project"]["version"] for file in FILES}


def required(project: dict[str, Any]) -> list[Requirement]:
    extras = project.get("optional-dependencies", {}).values()
    lines = [*project.get("dependencies", []), *(line for extra in extras for line in extra)]
    return [Requirement(line) for line in lines]


each = for_each("file", FILES)


def test_all_are_there() -> None:
    packages = {path.parent for path in ROOT.glob("plugins/*/stela_*/__init__.py")}
    assert {file.parent for file in FILES[2:]} == {package.parent for package in packages}
    assert {"stela-core", "stela-kgw", "stela-stela", "stela-template"} <= NAMES


def test_a_clone_installs_all() -> None:
    """But for the template: what is missing there is missing in no working copy that had it before."""
    listed = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    folders = {file.parent.name for file in FILES[2:]} - {"_template"}
    assert "\n-e bundle\n" in listed
    assert set(re.findall(r"^-e plugins/(\S+?)(?:\[.*)?$", listed, re.MULTILINE)) == folders


def test_the_demo_installs_what_it_shows_and_no_more() -> None:
    """With what those need; of the core's extras, what generates."""
    listed = (ROOT / "requirements-demo.txt").read_text(encoding="utf-8")
    core, *plugins = re.findall(r"^-e (\S+)$", listed, re.MULTILINE)
    assert core == ".[generate]"
    projects = {read(file)["project"]["name"]: read(file)["project"] for file in FILES}
    extras = projects["stela-core"]["optional-dependencies"]
    taggers = {language.tagger.partition(":")[0] for language in EMBEDDED.values()}
    shown = {*DEMO_SCHEMES, *taggers, DEMO_MODEL, "models"}
    needed, waiting = set[str](), [f"stela-{name}" for name in shown]
    waiting += [Requirement(line).name for line in extras["generate"]]
    while waiting:
        name = waiting.pop()
        if name in NAMES and name not in needed | {"stela-core"}:
            needed.add(name)
            waiting += [Requirement(line).name for line in projects[name]["dependencies"]]
    assert {plugin.removeprefix("plugins/") for plugin in plugins} == needed


def test_command_line_tells_the_version(registry: stela.Registry) -> None:
    told = CliRunner().invoke(build_cli(registry), ["--version"])
    assert told.output == f"stela, version {VERSION}\n"


@each
def test_metadata(file: Path) -> None:
    project = read(file)["project"]
    assert project["version"] == VERSION
    assert 20 <= len(project["description"]) <= 120
    assert (file.parent / project["readme"]).is_file()
    assert all((file.parent / name).is_file() for name in project["license-files"])
    assert Requirement(f"python{project['requires-python']}").specifier.contains("3.11")
    lines = project["classifiers"]
    assert len(lines) == len(set(lines))
    # The licence is an SPDX expression: packaging tools refuse a classifier beside it.
    assert not [line for line in lines if line.startswith("License")]
    kinds = {line.split(" :: ")[0] for line in lines}
    assert kinds == {"Development Status", "Intended Audience", "Programming Language", "Topic", "Typing"}
    # The index would refuse others; the list is trove-classifiers', which is not a dependency of the tests.
    assert set(lines) <= CLASSIFIERS
    assert len([line for line in lines if line.startswith("Development Status")]) == 1


CLASSIFIERS = {
    "Development Status :: 3 - Alpha",
    "Development Status :: 4 - Beta",
    "Development Status :: 5 - Production/Stable",
    "Intended Audience :: Developers",
    "Intended Audience :: Science/Research",
    "Programming Language :: Python :: 3",
    "Programming Language :: Python :: 3.11",
    "Programming Language :: Python :: 3.12",
    "Programming Language :: Python :: 3.13",
    "Topic :: Scientific/Engineering :: Artificial Intelligence",
    "Topic :: Text Processing :: Linguistic",
    "Typing :: Typed",
}


@each
def test_typed(file: Path) -> None:
    """Type checkers read annotations of packages that carry the marker, and of no others."""
    settings = read(file)["tool"]["setuptools"]
    if file == BUNDLE:
        assert settings == {"packages": []}
        return
    found_here = isinstance(settings["packages"], dict)
    packages = list(settings["package-data"]) if found_here else settings["packages"]
    assert packages
    for package in packages:
        assert "py.typed" in settings["package-data"][package]
        assert (file.parent / package / "py.typed").read_bytes() == b""


@each
def test_asks_for_this_version_of_the_others(file: Path) -> None:
    project = read(file)["project"]
    own = [one for one in required(project) if one.name.startswith("stela-") and one.name != project["name"]]
    assert file.parent == ROOT or "stela-core" in {one.name for one in own}
    for one in own:
        assert one.name in NAMES
        assert one.specifier == bounds(VERSION)
        assert Version(VERSION) in one.specifier


def test_uv_takes_all_from_the_clone() -> None:
    uv = read(ROOT / "pyproject.toml")["tool"]["uv"]
    members = {ROOT, *(folder for pattern in uv["workspace"]["members"] for folder in ROOT.glob(pattern))}
    assert members == {file.parent for file in FILES} - {ROOT / "plugins" / "_template"}
    assert uv["sources"] == {name: {"workspace": True} for name in NAMES - {"stela-template"}}


def test_only_what_generates_brings_torch() -> None:
    """Of ``stela-watermark``'s extras: what each of its distributions asks for, and so on."""
    projects = {read(file)["project"]["name"]: read(file)["project"] for file in FILES}
    heavy = {}
    for extra in ["", *projects["stela-watermark"]["optional-dependencies"]]:
        asked = {Requirement(f"stela-watermark[{extra}]" if extra else "stela-watermark")}
        known: set[Requirement] = set()
        while asked - known:
            one = (asked - known).pop()
            known.add(one)
            project = projects.get(one.name, {})
            lines = [*project.get("dependencies", [])]
            lines += [line for own in one.extras for line in project["optional-dependencies"][own]]
            asked |= {Requirement(line) for line in lines}
        heavy[extra] = "torch" in {one.name for one in known}
    assert {extra for extra, brings in heavy.items() if brings} == {"generate", "run", "all"}


def bounds(version: str) -> SpecifierSet:
    """Before 1.0 a minor version may break plugins."""
    major, minor, _ = map(int, version.split("."))
    return SpecifierSet(f">={major}.{minor},<{major + 1}" if major else f">=0.{minor},<0.{minor + 1}")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all that says a version, and of the script that sets it."""
    for file in [*FILES, ROOT / "scripts" / "version.py"]:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return tmp_path


def set_version(tree: Path, *version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(tree / "scripts" / "version.py"), *version]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("version", ["0.3", "", "0.3.0rc1", "v0.3.0", "0.03.0", "0.3.0\n"])
def test_no_version(version: str, tree: Path) -> None:
    refused = set_version(tree, version)
    assert refused.returncode == 2
    assert "three whole numbers" in refused.stderr
    assert set_version(tree).stdout.split() == [VERSION]


@pytest.mark.deep(keep=["0.2.0", "0.10.0"])
@pytest.mark.parametrize("version", ["0.2.0", "0.9.4", "0.10.0", "1.4.2"])
def test_bump_is_one_command_that_changes_versions_and_nothing_else(version: str, tree: Path) -> None:
    done = set_version(tree, version)
    assert (done.returncode, done.stdout.split()) == (0, [version])
    for file in FILES:
        project = read(tree / file.relative_to(ROOT))["project"]
        assert project["version"] == version
        for one in required(project):
            if one.name.startswith("stela-") and one.name != project["name"]:
                assert one.specifier == bounds(version)
    assert set_version(tree, VERSION).returncode == 0
    for file in FILES:
        assert (tree / file.relative_to(ROOT)).read_bytes() == file.read_bytes()


def test_versions_that_differ_are_told(tree: Path) -> None:
    other = tree / "plugins" / "stela-kgw" / "pyproject.toml"
    text = other.read_text(encoding="utf-8")
    other.write_text(text.replace(f'version = "{VERSION}"', 'version = "9.9.9"'), encoding="utf-8")
    told = set_version(tree)
    assert told.returncode == 1
    assert "9.9.9 (stela-kgw)" in told.stdout


def test_changelog_tells_of_this_version() -> None:
    """A release has a section; its name is what all distributions are named with."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    named = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]? - \d{4}-\d{2}-\d{2}$", text, re.MULTILINE)
    assert named[0] == VERSION
    assert named == sorted(named, key=Version, reverse=True)


def test_scripts_install_distributions_that_are_there() -> None:
    """Those for vLLM and other engines run only where an engine can be installed."""
    said = {
        node.value
        for file in (ROOT / "scripts").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    named = {one for one in said if re.fullmatch(r"stela(-[a-z0-9]+)+", one)} - {"stela-light-state"}
    assert {"stela-serving", "stela-kernels"} <= named
    assert named - NAMES == set()
