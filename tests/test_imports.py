"""The core's modules import no circle, and none from above: lazy and type-only imports count."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "stela_core"

FLOORS = (
    ("errors", "logs", "printable"),
    ("parameters", "files", "statistics", "libraries", "catalogue"),
    ("hashing",),
    ("interfaces",),
    ("text",),
    ("hookspecs",),
    ("builtin",),
    ("registry",),
    ("composition",),
    ("profile",),
    ("insertion", "detection"),
    ("marking",),
    ("watermark", "watermarks"),
    ("loading", "creation"),
    ("api",),
    ("__init__",),
)
"""From the ground up: what a room or module imports lies below it, or on its own floor beside no circle."""

HOUSES = (
    ("stela_core",),
    ("stela_kernels",),
    ("stela_detection",),
    ("stela_cli", "stela_serving"),
    (
        *("stela_causal", "stela_corpora", "stela_documents", "stela_testing"),
        "stela_transformers",
    ),
    ("stela_models",),
    ("stela_run", "stela_tables"),
    ("stela_paper",),
)
"""The core's house, those that it was parted from, and the paper's: none imports one of its own floor."""

RUNNER_FLOORS = (
    ("attack", "bounded_files", "metric", "preflight", "text_rng", "intervals", "log", "statistics", "null"),
    ("plan",),
    ("hookspecs", "progress", "cost"),
    ("cells",),
    ("report", "summary", "mistakes"),
    ("submission",),
    ("run",),
    ("outline", "testing", "reliability"),
    ("cli",),
    ("__init__",),
)
"""Floors within stela-run."""


def folder_of(package: str) -> Path:
    return CORE if package == "stela_core" else ROOT / "plugins" / package.replace("_", "-") / package


def name_of(package: str, file: Path) -> str:
    parts = (package, *file.relative_to(folder_of(package)).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PACKAGES = [package for floor in HOUSES for package in floor]


@cache
def modules(packages: tuple[str, ...] = ("stela_core",)) -> dict[str, Path]:
    return {name_of(p, file): file for p in packages for file in folder_of(p).rglob("*.py")}


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
def graph(packages: tuple[str, ...] = ("stela_core",)) -> dict[str, set[str]]:
    known = modules(packages)
    return {name: imported(file.read_text(encoding="utf-8"), {*known}) for name, file in known.items()}


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def floor_of(room: str, floors: tuple[tuple[str, ...], ...]) -> int:
    [floor] = [number for number, rooms in enumerate(floors) if room in rooms]
    return floor


def test_no_circle_of_modules() -> None:
    try:
        list(TopologicalSorter(graph(tuple(PACKAGES))).static_order())
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


@pytest.mark.parametrize("package", PACKAGES)
def test_a_house_imports_those_below_it(package: str) -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in folder_of(package).rglob("*.py"))
    roots = set(re.findall(r"^\s*(?:from|import) (stela_\w+)", source, re.MULTILINE)) - {package}
    below = {name for floor in HOUSES[: floor_of(package, HOUSES)] for name in floor}
    assert roots <= below


def test_no_arrow_goes_up_in_the_runner() -> None:
    inside = {name: [*name.split("."), "__init__"][1] for name in modules(("stela_run",))}
    up = [
        f"{module} -> {target}"
        for module, room in inside.items()
        for target in graph(("stela_run",))[module]
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
