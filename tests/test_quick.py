"""``make quick`` leaves out slow tests, and no room or plugin as a whole."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import PROFILE, QUICK, WHOLLY_SLOW

ROOT = Path(__file__).parents[1]
ROOMS = sorted(
    {file.parent for pattern in ("tests/**", "plugins/*/tests") for file in ROOT.glob(f"{pattern}/test_*.py")}
)
WITHOUT = {"stela-paraphrase", "stela-ray"}
"""Every test of theirs runs a model of its own or a cluster."""


def is_slow(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return any("mark.slow" in ast.unparse(decorator) for decorator in node.decorator_list)


def quick(file: Path) -> list[str]:
    """Names of a file's test functions and classes that ``make quick`` runs."""
    source = file.read_text(encoding="utf-8")
    if WHOLLY_SLOW.search(source):
        return []
    tests = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [node.name for node in tests if node.name.lower().startswith("test") and not is_slow(node)]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(ROOT)))
def test_every_room_keeps_some(room: Path) -> None:
    kept = [name for file in room.glob("test_*.py") for name in quick(file)]
    assert kept or room.parent.name in WITHOUT


def test_make_quick_leaves_out_the_slow() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [command] = re.findall(r"^quick: .*\n\t(.*)$", makefile, re.MULTILINE)
    assert '-m "not slow"' in command
    assert command.startswith("HYPOTHESIS_PROFILE=quick ")
    whole = re.findall(r"^test: .*\n\t(.*)$", makefile, re.MULTILINE)
    assert "slow" not in whole[0]
    assert "HYPOTHESIS_PROFILE" not in whole[0]


TRIED: list[int] = []


@settings(max_examples=300)
@given(st.integers())
def test_a_property_that_asks_for_many_examples_gets_few(number: int) -> None:
    TRIED.append(number)
    assert PROFILE != "quick" or len(TRIED) <= QUICK
