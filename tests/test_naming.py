"""Distribution ``stela-X``, module ``stela_X``, entry point ``X``; components are ``X`` or ``X-...``."""

import ast
import tomllib
from pathlib import Path

import pytest

import stela_core as stela

ROOT = Path(__file__).parents[1]
PLUGINS = sorted(p.parent for p in (ROOT / "plugins").glob("stela-*/pyproject.toml"))
TEMPLATE = ROOT / "plugins" / "_template"


@pytest.mark.parametrize("folder", [*PLUGINS, TEMPLATE], ids=lambda p: p.name)
def test_distribution_module_and_entry_point(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    short = folder.name.removeprefix("stela-").removeprefix("_")
    assert project["name"] == f"stela-{short}"
    assert project["entry-points"]["stela"] == {short: f"stela_{short}"}
    assert (folder / f"stela_{short}").is_dir()


def test_component_names(registry: stela.Registry) -> None:
    wrong = [
        entry.component.name
        for entry in registry
        if entry.plugin != "core"
        and entry.component.name != entry.plugin
        and not entry.component.name.startswith(f"{entry.plugin}-")
    ]
    assert wrong == []
    assert {entry.plugin for entry in registry} >= {p.name.removeprefix("stela-") for p in PLUGINS}


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda p: p.name)
def test_plugin_imports_no_other_plugin(folder: Path) -> None:
    own = folder.name.replace("-", "_")
    imported: set[str] = set()
    for file in (folder / own).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    assert not {name for name in imported if name.startswith("stela_")} - {own, "stela_core"}


@pytest.mark.parametrize("file", [*ROOT.glob("stela_core/**/*.py"), *ROOT.glob("plugins/**/*.py")], ids=str)
def test_files_stay_small(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 300
