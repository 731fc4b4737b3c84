"""The core names no plugin: what plugins/* bring stands in published.json, which is written from them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import stela_core as stela

ROOT = Path(__file__).parents[1]
CORE = ROOT / "stela_core"
OTHER_WORDS = {
    "stela": "the project: its command, entry points, folder of state",
    "documents": "an extra",
    "run": "an extra",
    "id": "a field of tokenizer.json",
    "payload": "a page of the documentation",
    "local": "in place of a version: a plugin file of the user",
}
"""Words of the core's own that a plugin bears, too."""

PLACES = {
    ("hookspecs.py", "stela"),
    ("files/state.py", "stela"),
    ("libraries.py", "documents"),
    ("libraries.py", "run"),
    ("registry/manager.py", "local"),
    ("catalogue.py", "stela"),
    ("text/tokenizer_form.py", "id"),
    ("text/tokenizer_digest.py", "id"),
    ("parameters.py", "payload"),
}
"""The only files where each is such a word."""


def projects() -> Iterator[dict[str, object]]:
    for file in ROOT.glob("plugins/stela-*/pyproject.toml"):
        yield tomllib.loads(file.read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def names(registry: stela.Registry) -> set[str]:
    """Names of the distributions, their entry points and their components."""
    found: set[str] = set()
    for project in projects():
        points = project.get("entry-points", {})
        assert isinstance(points, dict)
        found |= {str(project["name"]), *points.get("stela", {})}
    plugins = {name for name in found if name.startswith("stela-")}
    return found | {entry.component.name for entry in registry if entry.origin.distribution in plugins}


def constants(tree: ast.AST) -> Iterator[ast.Constant]:
    """The strings of a module, without those that stand alone: docstrings of whatever they follow."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


def imports(tree: ast.AST) -> Iterator[str]:
    """Top-level packages that a module imports, wherever the statement stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).split(".")[0]


def named(source: str, names: set[str]) -> set[str]:
    """Names that a source has as a whole string, those of distributions within one, and imported plugins."""
    tree = ast.parse(source)
    strings = [str(node.value) for node in constants(tree)]
    inside = {word for string in strings for word in re.findall(r"\bstela-[a-z]+\b", string)}
    modules = {module.replace("_", "-") for module in imports(tree)}
    return ({*strings} | inside | modules) & names


def test_the_core_names_no_plugin(names: set[str]) -> None:
    assert names >= {"stela-kgw", "kgw", "interop-lefthash", "interop", "tiny-small", "roc", "ud-spacy"}
    found = {
        (file.relative_to(CORE).as_posix(), name)
        for file in CORE.rglob("*.py")
        for name in named(file.read_text(encoding="utf-8"), names)
    }
    assert found == PLACES
    assert {name for _, name in PLACES} == set(OTHER_WORDS)


def test_names_are_found_wherever_they_stand() -> None:
    source = '''
"""kgw"""
SCHEME = "penn"
"""penn"""
def lazy(name="tiny"):
    """roc"""
    from stela_interop.mt19937 import draws
    import stela_ray
    return f"pip install stela-metrics, {name}, or kgw"
'''
    known = {"kgw", "penn", "tiny", "roc", "stela-interop", "stela-ray", "stela-metrics"}
    assert named(source, known) == {"penn", "tiny", "stela-interop", "stela-ray", "stela-metrics"}
