"""What tests cost in seconds of CPU, child processes included, and what a tier may cost.

Processors differ, and so do their loads: a limit in plain seconds would fail on a slow machine. So
durations.json holds what each dear test cost on one machine, and the tests themselves measure another one: it
is as much slower as the median test. A tier fails when its tests, over this factor, cost a tenth more than
when it was recorded as a whole; it then names those that grew.

In a fresh clone numba compiles its kernels (half a minute), in whichever tests ask first: that is counted by
itself, so that a tier costs the same in a fresh clone and in a used one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

FILE = Path(__file__).with_name("durations.json")
RECORDED = 0.5
"""A test that costs less is not recorded."""
UNKNOWN = 0.05
"""What one that is not recorded is taken to cost."""
UNKNOWN_DEEP = 3.0
"""The same of a deep one."""
NEEDED = 20
"""Recorded tests from which the factor is taken; with fewer of them no limit holds."""


def cpu() -> float:
    """Seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Compiling:
    """Seconds of CPU that numba compiled in this process; what it takes from its cache is not among them."""

    def __init__(self) -> None:
        self.spent = 0.0
        self._watching = False

    def watch(self) -> None:
        """Listen to numba from now on, where something has imported it."""
        if self._watching or "numba" not in sys.modules:
            return
        from numba.core.event import Event, Listener, register

        compiling = self

        class Watch(Listener):  # type: ignore[misc,unused-ignore]
            """Compiling a function may ask for another one."""

            depth, began = 0, 0.0

            def on_start(self, event: Event) -> None:
                if self.depth == 0:
                    self.began = cpu()
                self.depth += 1

            def on_end(self, event: Event) -> None:
                self.depth -= 1
                if self.depth == 0:
                    compiling.spent += cpu() - self.began

        register("numba:compile", Watch())
        self._watching = True


@cache
def kept() -> dict[str, dict[str, float]]:
    """Seconds of CPU of the tests of each file, and of whole tiers under the name tiers."""
    read: dict[str, dict[str, float]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return read


@cache
def durations() -> dict[str, float]:
    """Seconds of CPU by test."""
    files = {file: tests for file, tests in kept().items() if file != "tiers"}
    return {f"{file}::{test}": cost for file, tests in files.items() for test, cost in tests.items()}


def recorded(nodeid: str, unknown: float = UNKNOWN) -> float:
    """What a test cost, or a guess."""
    return durations().get(nodeid, unknown)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How durations.json is written."""
    parser.getgroup("tiers").addoption(
        "--record-durations", action="store_true", help="write tests/durations.json"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """One measure for each process; the one that the user sees adds them up."""
    config.pluginmanager.register(Costs(config), "costs")


class Costs:
    """Measures the tests of this process, and adds up those of all workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.began = time.monotonic()
        self.last = cpu()
        self.costs: Counter[str] = Counter()
        self.collecting = 0.0
        self.compiling = Compiling()
        self.compiled = 0.0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """What collecting cost a worker."""
        self.collecting += cpu()
        self.compiling.watch()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["collecting"] = self.collecting

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """What lies between two tests belongs to neither."""
        self.compiling.watch()
        self.last = self.spent()

    def spent(self) -> float:
        """Seconds of CPU without those of compiling."""
        return cpu() - self.compiling.spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        """Add to the report of a phase what it cost."""
        report = yield
        now = self.spent()
        report.user_properties = [*report.user_properties, ("cpu", round(now - self.last, 3))]
        self.last = now
        return report

    def pytest_runtest_logfinish(self) -> None:
        """For the process that the user sees: what compiling has cost a worker until now."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["compiling"] = self.compiling.spent

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up, here and in the process that the user sees."""
        self.costs[report.nodeid] += dict(report.user_properties).get("cpu", 0.0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker has ended."""
        output = getattr(node, "workeroutput", {})
        self.collecting += output.get("collecting", 0.0)
        self.compiled += output.get("compiling", 0.0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A tier over its budget fails."""
        if hasattr(self.config, "workeroutput"):
            return
        if self.config.getoption("record_durations"):
            write(self.costs, self.config.getoption("tier") if self.is_whole() else None)
        if session.exitstatus == pytest.ExitCode.OK and self.grown():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The tier's time, its ten slowest tests, and what grew."""
        tier = self.config.getoption("tier")
        if tier is None:
            return
        terminalreporter.section(f"{tier}: {time.monotonic() - self.began:.0f} s")
        spent = sum(self.costs.values())
        terminalreporter.line(
            f"{spent:.0f} s of CPU, {self.collecting:.0f} s to collect, "
            f"{self.compiled + self.compiling.spent:.0f} s to compile; the slowest ten, in seconds of CPU:"
        )
        for test, cost in self.costs.most_common(10):
            terminalreporter.line(f"{cost:7.1f}  {test}")
        for line in self.grown():
            terminalreporter.line(line, red=True)

    def is_whole(self) -> bool:
        """Whether all tests of the tier were asked for."""
        return bool(
            self.config.args == self.config.getini("testpaths") and not self.config.getoption("in_turn")
        )

    def grown(self) -> list[str]:
        """Nothing, or by how much a whole tier is over its budget, and which tests grew most."""
        tier = self.config.getoption("tier")
        factor, budget = slowness(self.costs), kept().get("tiers", {}).get(tier)
        if factor is None or budget is None or not self.is_whole():
            return []
        total = sum(self.costs.values()) / factor
        if total <= 1.1 * budget:
            return []
        more = Counter(
            {test: cost / factor - durations().get(test, 0.0) for test, cost in self.costs.items()}
        )
        return [
            f"{tier} costs {total:.0f} s of CPU, as the machine of tests/durations.json would take; "
            f"it may cost {budget:.0f}. These grew, in seconds; make them cheaper, or deep:",
            *(f"{cost:+7.1f}  {test}" for test, cost in more.most_common(10)),
        ]


def slowness(costs: dict[str, float]) -> float | None:
    """How much more the tests cost here than on the machine of durations.json."""
    ratios = [
        cost / durations()[test] for test, cost in costs.items() if cost and durations().get(test, 0.0) >= 1
    ]
    return median(ratios) if len(ratios) >= NEEDED else None


def write(costs: dict[str, float], tier: str | None = None) -> None:
    """Record the dear ones of these tests, and of a whole tier the sum; what is recorded of others stays."""
    known = {test: cost for test, cost in durations().items() if test not in costs}
    known |= {test: round(cost, 1) for test, cost in costs.items() if cost >= RECORDED}
    files: dict[str, dict[str, float]] = {"tiers": dict(kept().get("tiers", {}))}
    if tier is not None:
        files["tiers"][tier] = round(sum(costs.values()), 1)
    for test, cost in sorted(known.items()):
        file, _, name = test.partition("::")
        files.setdefault(file, {})[name] = cost
    FILE.write_text(json.dumps(files, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
