"""Which test files the last day's commits reach: along imports, and within a plugin's folder."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import deque
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

DAY = 24 * 60 * 60
FAR = 3
"""A change reaches no test that is more imports away: within five, nearly everything is."""


def git(root: Path, *command: str) -> str:
    """What git prints; nothing where there is no history."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def turn(root: Path) -> int:
    """A number that each landing raises by one."""
    return int(git(root, "rev-list", "--count", "--first-parent", "HEAD") or 0)


def changed_files(root: Path) -> set[str]:
    """Files of the commits of the day before the last one, and it."""
    last = git(root, "log", "-1", "--format=%ct").strip()
    if not last:
        return set()
    return {*git(root, "log", f"--since=@{int(last) - DAY}", "--name-only", "--format=").splitlines()} - {""}


def reached_files(root: Path, tests: Iterable[str]) -> list[str]:
    """Test files that a change reaches, the nearest first."""
    changed = changed_files(root)
    # What is not Python reaches the tests of its plugin: the page's program, data, a manifest.
    plugins = {plugin_of(file) for file in changed if not file.endswith((".py", ".md"))} - {None}
    far = {
        test: 0 if test in changed or plugin_of(test) in plugins else distance(root, test, changed)
        for test in tests
    }
    return sorted((test for test, steps in far.items() if steps <= FAR), key=lambda test: (far[test], test))


def plugin_of(file: str) -> str | None:
    """The plugin in whose folder a file lies."""
    parts = PurePosixPath(file).parts
    return parts[1] if parts[0] == "plugins" else None


def distance(root: Path, test: str, changed: set[str]) -> int:
    """Imports from a test to the nearest changed file."""
    seen, waiting = {test}, deque([(test, 0)])
    while waiting:
        file, steps = waiting.popleft()
        if file in changed and steps:
            return steps
        for found in imported_files(root, file) - seen if steps < FAR else ():
            seen.add(found)
            waiting.append((found, steps + 1))
    return FAR + 1


@cache
def modules(root: Path) -> dict[str, str]:
    """Files of all modules of the repository, by name."""
    listed = [
        *root.glob("stela_core/**/*.py"),
        *root.glob("plugins/*/stela_*/**/*.py"),
        *root.glob("tests/**/*.py"),
        *root.glob("plugins/*/tests/**/*.py"),
    ]
    found = {}
    for file in listed:
        path = file.relative_to(root)
        # Tests of a plugin have the names that pytest gives them, such as plugins.stela-run.tests.conftest.
        is_package = path.parts[0] == "plugins" and path.parts[2] != "tests"
        parts = (
            (path.relative_to(*path.parts[:1], path.parts[1]) if is_package else path).with_suffix("").parts
        )
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.as_posix()
    return found


@cache
def public_names(root: Path) -> dict[str, str]:
    """Files of what ``stela_core`` gives by name, as its stub says."""
    found = {}
    for node in ast.parse((root / "stela_core" / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            file = modules(root).get(f"stela_core.{node.module}")
            found |= {alias.asname or alias.name: file for alias in node.names if file}
    return found


@cache
def imported_files(root: Path, file: str) -> frozenset[str]:
    """Files that a file imports, wherever the import stands; of ``stela.NAME`` the one that defines NAME."""
    if not (root / file).exists():
        return frozenset()
    source = (root / file).read_text(encoding="utf-8")
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module != "stela_core":
            # `from .conftest import`: plugins' tests import their neighbours so.
            above = PurePosixPath(file).parts[: -node.level] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            names |= {f"{module}.{alias.name}" for alias in node.names} | {module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name != "stela_core"}
    found = {modules(root)[name] for name in names if name in modules(root)}
    public = public_names(root)
    found |= {
        public[name] for name in re.findall(r"\bstela(?:_core)?\.([A-Za-z_]+)", source) if name in public
    }
    return frozenset(found - {file})
