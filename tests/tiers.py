"""The tiers of the suite: which tests each one runs, and how many examples of a property.

``make test`` runs every test that is not marked ``deep``. ``make quick`` runs those of them that lie in a
file of quick.txt and are not marked ``slow``. ``make test-deep`` runs the deep tests, properties with all of
their examples, and simulations with all of their ``draws``. A deep test names the fast test that stands in
for it, of its own file or by its path (None: there is none); or it names the parameters, by their ids, that
stay in ``make test``. A class that inherits its tests names those that are deep::

    @pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_help.py::test_it")
    @pytest.mark.deep(keep=["kgw", "synthid"])
    @pytest.mark.deep(stand_in="plugins/stela-de/tests/test_de.py::TestGerman", only=["test_a_long_text"])
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.costs import UNKNOWN, UNKNOWN_DEEP, recorded
from tests.reached import reached_files, turn

Draws = Callable[[int, int], int]
Test = TypeVar("Test", bound=Callable[..., Any])
ROOT = Path(__file__).parents[1]
EXAMPLES = {"quick": 10, "test": 20}
"""Of a property that asks for more, in each tier; ``deep`` gives it what it asks for."""
USUAL = settings.get_profile("default").max_examples
"""What a property asks for that does not say so."""
MOST = [sys.maxsize]
"""Examples that a property gets at most: of this run's tier."""
PARTS = 4
"""CI runs one part in turn of those deep tests that no change reaches."""
REACHED = 300
"""Seconds of CPU that CI gives to deep tests that a change reaches; the nearest come first."""
WHOLLY_DEEP = re.compile(r"^pytestmark = (?:\[[^\]]*)?\bpytest\.mark\.deep\(\s*stand_in\b", re.MULTILINE)
MAY_BE_DEEP = re.compile(r"\bmark\.deep\(|\bhypothesis\b|\bdraws: Draws\b")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The tier, and for CI a part of the deep one."""
    group = parser.getgroup("tiers")
    group.addoption("--tier", choices=("quick", "test", "deep"), help="tests to run (default: all)")
    group.addoption("--in-turn", action="store_true", help="of the deep tests, those that CI runs")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: how many examples it may have."""
    MOST[0] = EXAMPLES.get(config.getoption("tier"), sys.maxsize)
    profile = settings(max_examples=min(settings().max_examples, MOST[0]))
    settings.register_profile("tier", profile)
    settings.load_profile("tier")


@cache
def quick_files() -> frozenset[str]:
    """Files of which ``make quick`` runs what is not slow."""
    return frozenset((ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").split())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file without a test of the tier is not even imported."""
    tier = config.getoption("tier")
    if tier is None or not re.fullmatch(r"test_.*\.py", collection_path.name):
        return None
    if tier == "quick":
        return collection_path.relative_to(ROOT).as_posix() not in quick_files() or None
    source = collection_path.read_text(encoding="utf-8")
    return bool(WHOLLY_DEEP.search(source)) if tier == "test" else not MAY_BE_DEEP.search(source)


def examples(count: int, **others: Any) -> Callable[[Test], Test]:
    """Settings of a property that asks for so many examples; ``make test`` and ``make quick`` give it fewer.

    Args:
        count: in ``make test-deep``, and where no tier is asked for.
        others: of Hypothesis' settings.
    """

    def decorate(test: Test) -> Test:
        return pytest.mark.examples(count)(settings(max_examples=min(count, MOST[0]), **others)(test))

    return decorate


def asked(item: pytest.Item) -> int:
    """Examples that a test asks for; 0 if it is not a property."""
    if not is_hypothesis_test(getattr(item, "obj", None)):
        return 0
    mark = item.get_closest_marker("examples")
    return int(mark.args[0]) if mark else USUAL


def is_deep(item: pytest.Item) -> bool:
    """Whether a mark of the test, its class or its file says so, and does not keep these parameters."""
    return any(parameters(item) not in mark.kwargs.get("keep", ()) for mark in deep_marks(item))


def deep_marks(item: pytest.Item) -> list[pytest.Mark]:
    """Those of the test, its class and its file that mean this test."""
    test = item.name.partition("[")[0]
    return [mark for mark in item.iter_markers("deep") if test in mark.kwargs.get("only", (test,))]


def parameters(item: pytest.Item) -> str:
    """The id between brackets."""
    return item.name.partition("[")[2].removesuffix("]")


@pytest.fixture(scope="session")
def draws(request: pytest.FixtureRequest) -> Draws:
    """How often a simulation draws: ``draws(2_000, 300)`` is 300 in ``make test``, else 2,000."""
    few = request.config.getoption("tier") in EXAMPLES
    return lambda many, enough: enough if few else many


def is_in(item: pytest.Item, tier: str) -> bool:
    """Whether a tier runs a test."""
    if tier == "deep":
        more = asked(item) > EXAMPLES["test"] or "draws" in getattr(item, "fixturenames", ())
        return more or is_deep(item)
    return not is_deep(item) and (tier == "test" or item.get_closest_marker("slow") is None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is of another tier, and give properties the examples of this one."""
    tier = config.getoption("tier")
    # In several processes dear rooms come first: begun last, one would keep a single process busy.
    if "PYTEST_XDIST_WORKER" in os.environ and not config.getoption("random_order_enabled", False):
        by_cost(items)
    if tier is None:
        return
    require_kept(items)
    chosen = [item for item in items if is_in(item, tier)]
    if config.getoption("in_turn"):
        chosen = in_turn(chosen)
    staying = {*map(id, chosen)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in staying])
    items[:] = chosen


def by_cost(items: list[pytest.Item]) -> None:
    """Sort by what a room costs, then by what a file does."""
    costs: Counter[Path] = Counter()
    for item in items:
        cost = recorded(item.nodeid)
        costs.update({item.path: cost, item.path.parent: cost})
    items.sort(key=lambda item: (-costs[item.path.parent], item.path.parent, -costs[item.path], item.path))


def require_kept(items: Iterable[pytest.Item]) -> None:
    """An id in ``keep`` that no parameter has would leave ``make test`` without any."""
    ids: dict[str, set[str]] = {}
    kept: dict[str, set[str]] = {}
    for item in items:
        for mark in deep_marks(item):
            test = item.nodeid.partition("[")[0]
            ids.setdefault(test, set()).add(parameters(item))
            kept.setdefault(test, set()).update(mark.kwargs.get("keep", ()))
    wrong = [
        f"{test}{sorted(names - ids[test])}"
        for test, names in kept.items()
        if names and not names & ids[test]
    ]
    if wrong:
        raise pytest.UsageError(f"no parameters have the ids that mark.deep keeps: {', '.join(wrong)}")


def in_turn(items: list[pytest.Item]) -> list[pytest.Item]:
    """Tests near the files that the last day's commits change, and one part in turn of all files."""
    costs: dict[str, float] = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        unknown = UNKNOWN_DEEP if is_deep(item) else UNKNOWN
        costs[file] = costs.get(file, 0.0) + recorded(item.nodeid, unknown)
    chosen = {file for file, part in parts(costs).items() if part == turn(ROOT) % PARTS}
    spent = 0.0
    for file in reached_files(ROOT, costs):
        if file not in chosen and spent + costs[file] <= REACHED:
            chosen.add(file)
            spent += costs[file]
    return [item for item in items if item.nodeid.partition("::")[0] in chosen]


def parts(costs: dict[str, float]) -> dict[str, int]:
    """The part of each file; all cost about the same."""
    sums = [0.0] * PARTS
    found = {}
    for file in sorted(costs, key=lambda one: (-costs[one], one)):
        found[file] = sums.index(min(sums))
        sums[found[file]] += costs[file]
    return found
