"""What plugins import: of the core what is public, of each other nothing; lazy and type-only imports too."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from inspect import isclass, isfunction
from pathlib import Path

import pytest

import stela_core as stela
from stela_core import api
from tests.helpers import for_each
from tests.test_imports import graph

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(file.parent for file in (ROOT / "plugins").glob("*/pyproject.toml"))
LIBRARIES = {
    "stela_causal",
    "stela_cli",
    "stela_clusters",
    "stela_corpora",
    "stela_detection",
    "stela_documents",
    "stela_kernels",
    "stela_language",
    "stela_models",
    "stela_page",
    "stela_payload",
    "stela_run",
    "stela_serving",
    "stela_sign",
    "stela_spacy",
    "stela_tables",
    "stela_testing",
    "stela_transformers",
}
"""Packages that several plugins build on."""

BROUGHT = {"stela_detection", "stela_kernels"}
"""What a command, service or engine brings along for the core, though it imports nothing of it."""

STUB = Path(str(api.__file__)).with_suffix(".pyi")

Import = tuple[str, str | None]
"""A module, and the name that is taken from it; ``None`` where the module itself is imported."""


@cache
def imports(source: str) -> list[Import]:
    """All absolute imports of a source, wherever they stand; a relative one stays in its package."""
    taken: list[Import] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            taken += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            taken += [(str(node.module), alias.name) for alias in node.names]
    return taken


def is_public(module: str, name: str | None) -> bool:
    """Whether a plugin may import it of the core."""
    if module == "stela_core":
        return name is None or name in stela.__all__
    return module == "stela_core.api" and name in api.__all__


def reaches(source: str, own: set[str]) -> set[str]:
    """What a plugin's source takes that is not public.

    Args:
        source: of a module.
        own: the plugin's packages.
    """
    found: set[str] = set()
    for module, name in imports(source):
        root = module.split(".")[0]
        of_the_core = root == "stela_core" and not is_public(module, name)
        if of_the_core or (root.startswith("stela_") and root not in own | LIBRARIES | {"stela_core"}):
            found.add(module if name is None else f"{module}.{name}")
    for node in ast.walk(ast.parse(source)):  # stela.text.prefix is there once anything has imported it
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("stela", "stela_core"):
            found |= {f"stela_core.{node.attr}"} - {f"stela_core.{name}" for name in stela.__all__}
    return found


def own_packages(folder: Path) -> set[str]:
    return {package.name for package in folder.glob("stela_*") if package.is_dir()}


@cache
def sources(folder: Path, *parts: str) -> dict[Path, str]:
    files = [file for part in parts for file in sorted(folder.glob(f"{part}/**/*.py"))]
    return {file: file.read_text(encoding="utf-8") for file in files}


@for_each("folder", FOLDERS)
def test_packages_and_scripts_import_what_is_public(folder: Path) -> None:
    own = own_packages(folder)
    assert own
    found = {
        str(file.relative_to(ROOT)): reached
        for file, source in sources(folder, "stela_*", "scripts").items()
        if (reached := reaches(source, own))
    }
    assert found == {}


@for_each("folder", FOLDERS)
def test_libraries_are_declared_and_no_plugin_is(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {
        match[0].replace("-", "_")
        for requirement in project["dependencies"]
        if (match := re.match(r"stela-[a-z-]+", requirement))
    }
    used = {
        module.split(".")[0]
        for source in sources(folder, "stela_*").values()
        for module, _ in imports(source)
    }
    needed = (used & LIBRARIES) - own_packages(folder)
    assert needed <= declared
    assert declared - needed <= {"stela_core", *BROUGHT}
    assert "stela_core" in declared


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import stela_core as stela\nfrom stela_core.api import short_hash", set()),
        ("from stela_core import Tagger\nfrom stela_testing import TaggerContract", set()),
        ("import stela_x.names\nfrom stela_spacy.names import find_model", set()),
        ("from stela_core.files.fingerprint import sha256", {"stela_core.files.fingerprint.sha256"}),
        ("from stela_core import registry", {"stela_core.registry"}),
        ("import stela_core.api", {"stela_core.api"}),
        ("from stela_core.api import hidden", {"stela_core.api.hidden"}),
        ("def f():\n    import stela_core.text.prefix", {"stela_core.text.prefix"}),
        ("if TYPE_CHECKING:\n    from stela_core.watermark import load", {"stela_core.watermark.load"}),
        ("import stela_core as stela\nstela.text.prefix.text_of", {"stela_core.text"}),
        ("def f():\n    from stela_penn.tagger import Penn", {"stela_penn.tagger.Penn"}),
    ],
)
def test_what_is_not_public_is_found(source: str, found: set[str]) -> None:
    assert reaches(source, {"stela_x"}) == found


def test_stub_says_one_name_a_line_room_by_room() -> None:
    says, *nodes = ast.parse(STUB.read_text(encoding="utf-8")).body
    assert isinstance(says, ast.Expr)
    listed = []
    for node in nodes:
        assert isinstance(node, ast.ImportFrom)
        [alias] = node.names
        assert alias.asname == alias.name, "an alias of the same name exports it"
        listed.append(f"{node.module}.{alias.name}")
    assert len({line.rpartition(".")[2] for line in listed}) == len(listed)
    assert dir(api) == sorted(api.__all__) == sorted(line.rpartition(".")[2] for line in listed)


@for_each("name", sorted(api.__all__))
def test_name_is_there_and_says_what_it_is(name: str) -> None:
    assert name not in stela.__all__, "one way to import it is enough"
    assert not name.startswith("_")
    found = getattr(api, name)
    if isclass(found) or isfunction(found):
        assert found.__doc__


@cache
def wanted() -> set[str]:
    """Names that plugins, their tests and scripts import, or that a page speaks of."""
    found: set[str] = set()
    for folder in FOLDERS:
        for source in sources(folder, "stela_*", "scripts", "tests").values():
            found |= {str(name) for module, name in imports(source) if module == "stela_core.api"}
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        found |= set(re.findall(r"stela_core\.api\.(\w+)", text))
        for line in re.findall(r"from stela_core\.api import (.+)", text):
            found |= set(re.findall(r"\w+", line))
    return found


@for_each("name", sorted(api.__all__))
def test_name_is_wanted(name: str) -> None:
    assert name in wanted()


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        api.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_importing_it_imports_nothing_else() -> None:
    program = """
import sys
import stela_core
before = set(sys.modules)
import stela_core.api
print(*sorted(set(sys.modules) - before))
from stela_core.api import short_hash
assert short_hash("a") == stela_core.api.short_hash("a")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith("stela_")] == ["stela_core.api"]


def test_core_does_without_it() -> None:
    assert [module for module, targets in graph().items() if "stela_core.api" in targets] == []
