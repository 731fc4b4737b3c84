"""The core's modules import no circle, and none from above: lazy and type-only imports count."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CORE = Path(__file__).parents[1] / "stela_core"

FLOORS = (
    ("errors", "printable"),
    ("parameters", "files", "statistics", "libraries"),
    ("hashing",),
    ("kernels",),
    ("interfaces",),
    ("text",),
    ("hookspecs",),
    ("builtin",),
    ("registry",),
    ("corpora", "documents", "composition", "models"),
    ("tables",),
    ("profile",),
    ("insertion", "detection"),
    ("watermark", "watermarks"),
    ("loading", "loading_all", "creation", "language_model", "generation"),
    ("serving",),
    ("runner",),
    ("reliability", "testing"),
    ("cli",),
    ("api",),
    ("__main__", "__init__"),
)
"""From the ground up: what a room or module imports lies below it, or on its own floor beside no circle."""

RUNNER_FLOORS = (
    ("attack", "metric", "preflight", "intervals", "log"),
    ("plan",),
    ("hookspecs", "plugin"),
    ("cells",),
    ("report", "summary", "mistakes"),
    ("run",),
    ("outline",),
)
"""The same within the runner."""


def name_of(file: Path) -> str:
    parts = ("stela_core", *file.relative_to(CORE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {name_of(file): file for file in CORE.rglob("*.py")}


def imported(source: str, known: set[str]) -> set[str]:
    """Modules of ``known`` that a source names in any import statement, wherever it stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found |= {full if full in known else str(node.module)} & known
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & known
    return found


@cache
def graph() -> dict[str, set[str]]:
    known = set(modules())
    return {name: imported(file.read_text(encoding="utf-8"), known) for name, file in modules().items()}


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def floor_of(room: str, floors: tuple[tuple[str, ...], ...]) -> int:
    [floor] = [number for number, rooms in enumerate(floors) if room in rooms]
    return floor


def test_no_circle_of_modules() -> None:
    try:
        list(TopologicalSorter(graph()).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_circle_of_rooms() -> None:
    rooms: dict[str, set[str]] = {}
    for module, targets in graph().items():
        rooms.setdefault(room_of(module), set()).update(map(room_of, targets))
    try:
        list(TopologicalSorter({room: to - {room} for room, to in rooms.items()}).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_arrow_goes_up() -> None:
    up = [
        f"{module} -> {target}"
        for module, targets in graph().items()
        for target in targets
        if floor_of(room_of(target), FLOORS) > floor_of(room_of(module), FLOORS)
    ]
    assert up == []


def test_no_arrow_goes_up_in_the_runner() -> None:
    inside = {module: module.split(".")[2] for module in modules() if module.startswith("stela_core.runner.")}
    up = [
        f"{module} -> {target}"
        for module, room in inside.items()
        for target in graph()[module] & inside.keys()
        if floor_of(inside[target], RUNNER_FLOORS) > floor_of(room, RUNNER_FLOORS)
    ]
    assert up == []


def test_imports_are_found_wherever_they_stand() -> None:
    source = """
from typing import TYPE_CHECKING
import a.b
if TYPE_CHECKING:
    from a import c
def lazy():
    from a.d import e
"""
    assert imported(source, {"a", "a.b", "a.c", "a.d"}) == {"a.b", "a.c", "a.d"}
