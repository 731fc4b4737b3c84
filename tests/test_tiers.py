"""What each tier runs: every room is in ``make quick``, and a fast test stands in for each deep one."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.costs import Compiling, cpu, slowness, write
from tests.reached import imported_files, plugin_of, reached_files
from tests.tiers import EXAMPLES, examples, parts, quick_files

ROOT = Path(__file__).parents[1]
FILES = sorted(
    file for pattern in ("tests/**", "plugins/*/tests/**") for file in ROOT.glob(f"{pattern}/test_*.py")
)
WITHOUT = {"stela-ray"}
"""Every test there runs a cluster."""
Tests = dict[str, list[ast.Call]]


def deep_marks(nodes: list[ast.expr]) -> list[ast.Call]:
    calls = [call for node in nodes for call in ast.walk(node) if isinstance(call, ast.Call)]
    return [call for call in calls if ast.unparse(call.func) == "pytest.mark.deep"]


def marks_of(file: Path) -> Tests:
    """A file's tests, each with the marks ``deep`` of itself, its class and its file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    whole = [
        one.value
        for one in tree.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "pytestmark"
    ]

    def walk(nodes: list[ast.stmt], name: str, marks: list[ast.Call]) -> Iterator[tuple[str, list[ast.Call]]]:
        for node in nodes:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name.lower().startswith("test"):
                own = [*marks, *deep_marks(node.decorator_list)]
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, f"{name}{node.name}::", own)
                yield name + node.name, own

    return dict(walk(tree.body, "", deep_marks(whole)))


def argument(mark: ast.Call, name: str) -> object:
    """Its value, or its source where that is worked out: a run refuses ids that no parameter has."""
    for one in mark.keywords:
        if one.arg == name:
            try:
                return ast.literal_eval(one.value)
            except ValueError:
                return ast.unparse(one.value)
    return ...


def test_every_room_is_in_make_quick() -> None:
    rooms = {file.parent for file in FILES if plugin_of(file.relative_to(ROOT).as_posix()) not in WITHOUT}
    assert rooms - {(ROOT / file).parent for file in quick_files()} == set()
    assert [file for file in quick_files() if not (ROOT / file).is_file()] == []


def test_what_stands_in_for_a_deep_test_is_there_and_fast() -> None:
    wrong = []
    for file in FILES:
        if "mark.deep" not in file.read_text(encoding="utf-8"):
            continue
        own = marks_of(file)
        for test, mark in [(test, mark) for test, marks in own.items() for mark in marks]:
            stand_in, keep = argument(mark, "stand_in"), argument(mark, "keep")
            if (stand_in is ...) == (keep is ...) or keep == []:
                wrong.append(f"{file.name}::{test} has one of stand_in and keep")
            elif isinstance(stand_in, str):
                where, _, name = stand_in.rpartition("::")
                place = ROOT / where if where.endswith(".py") else file
                there = (own if place == file else marks_of(place)) if place.is_file() else {}
                if any(
                    argument(one, "keep") is argument(one, "only") is ... for one in there.get(name, [mark])
                ):
                    wrong.append(f"{file.name}::{test}: {stand_in} is not there, or is deep itself")
    assert wrong == []


def test_the_targets_run_their_tiers() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target, tier in {"quick": "quick", "test": "test", "test-deep": "deep"}.items():
        [command] = re.findall(rf"^{target}: .*\n\t(.*)$", makefile, re.MULTILINE)
        assert f" --tier {tier}" in command


TRIED: list[int] = []


@examples(300)
@given(st.integers())
def test_a_property_gets_the_examples_of_its_tier(number: int) -> None:
    TRIED.append(number)


def test_how_many_examples_is_said_where_a_tier_can_bound_it() -> None:
    """What ``settings`` says, a tier could only change by what Hypothesis keeps to itself."""
    asking = re.compile(r"\bsettings\([^)]*\bmax_examples")
    assert [file.name for file in FILES if asking.search(file.read_text(encoding="utf-8"))] == []


def test_a_property_got_no_more(request: pytest.FixtureRequest) -> None:
    assert len(TRIED) <= EXAMPLES.get(request.config.getoption("tier"), 300)


def test_parts_cost_about_the_same_and_hold_every_file() -> None:
    costs = {f"f{number}": float(number % 7) for number in range(100)}
    found = parts(costs)
    assert found.keys() == costs.keys()
    sums = [sum(costs[file] for file, part in found.items() if part == one) for one in range(4)]
    assert max(sums) - min(sums) <= 6


def test_a_test_reaches_what_it_imports_and_what_that_imports() -> None:
    assert "stela_core/statistics/__init__.py" not in imported_files(ROOT, "tests/test_tiers.py")
    assert "tests/reached.py" in imported_files(ROOT, "tests/test_tiers.py")
    assert "plugins/stela-run/tests/conftest.py" in imported_files(
        ROOT, "plugins/stela-run/tests/test_keys.py"
    )
    # stela.load is defined in a module of the core.
    direct = imported_files(ROOT, "tests/test_creation.py")
    assert "stela_core/creation.py" in direct


def test_the_nearest_tests_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"tests/costs.py", "plugins/stela-page/web/detector.ts"}
    monkeypatch.setattr("tests.reached.changed_files", lambda root: changed)
    tests = [
        "tests/test_tiers.py",
        "plugins/stela-page/tests/test_page.py",
        "plugins/stela-ar/tests/test_ar.py",
    ]
    assert reached_files(ROOT, tests) == ["plugins/stela-page/tests/test_page.py", "tests/test_tiers.py"]


def test_a_slower_machine_is_known_by_its_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {f"a.py::test_{number}": 1.0 + number for number in range(30)}
    monkeypatch.setattr("tests.costs.durations", lambda: known)
    # One test that grew tenfold is not the machine's fault.
    here = {test: 2 * cost for test, cost in known.items()} | {"a.py::test_3": 40.0, "a.py::test_new": 9.0}
    assert slowness(here) == 2
    assert slowness({"a.py::test_1": 3.0}) is None


def test_durations_are_recorded_and_the_cheap_ones_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.costs.FILE", tmp_path / "durations.json")
    monkeypatch.setattr("tests.costs.kept", lambda: {"tiers": {"quick": 8.0}})
    monkeypatch.setattr("tests.costs.durations", lambda: {"a.py::old": 7.0, "b.py::test_it[x::y]": 3.0})
    write({"b.py::test_it[x::y]": 0.1, "b.py::test_new": 2.04}, "test")
    written = json.loads((tmp_path / "durations.json").read_text(encoding="utf-8"))
    assert written == {"tiers": {"quick": 8.0, "test": 2.1}, "a.py": {"old": 7.0}, "b.py": {"test_new": 2.0}}


def test_what_numba_compiles_is_counted_by_itself() -> None:
    """Once, with what it calls; a second call of the same function costs nothing."""
    numba = pytest.importorskip("numba")
    compiling = Compiling()
    compiling.watch()

    inner = numba.njit(lambda x: x * 2)
    outer = numba.njit(lambda x: inner(x) + 1)

    began = cpu()
    assert outer(1.5) == 4.0
    first = compiling.spent
    assert 0.01 < first <= cpu() - began
    assert outer(2.5) == 6.0
    assert compiling.spent == first
