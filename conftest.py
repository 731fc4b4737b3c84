"""Fixtures for the tests of the core and of every plugin."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path, PurePosixPath
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

if "PYTEST_XDIST_WORKER" in os.environ:
    # The workers share the cores: a pool of threads in each makes torch wait for itself.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# What is remembered of profiles lies apart from the user's own, for commands in other processes too.
os.environ["STELA_STATE"] = tempfile.mkdtemp(prefix="stela-tests-")

import stela_core as stela

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What CI says of a change is about the change: the same examples each time. Elsewhere new ones are drawn.
settings.register_profile("same", settings.get_profile("any-machine"), derandomize=True)
settings.register_profile("quick", settings.get_profile("any-machine"), max_examples=20)
QUICK = settings.get_profile("quick").max_examples
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "any-machine")
settings.load_profile(PROFILE)


def drawing(name: str) -> AbstractContextManager[Any]:
    """With the same examples, the same keys: those drawn in this process turn on who draws them alone.

    How far a text is from the threshold turns on its key, so that with new ones a test of many a thousand
    texts fails now and then for no fault; ``make test`` draws new ones, and has to pass as well.
    """
    if PROFILE != "same":
        return nullcontext()
    return patch("stela_core.hashing.keys.secrets", SimpleNamespace(randbits=Random(ascii(name)).getrandbits))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Whoever asks for it first, a fixture draws what it draws."""
    place = request.node.nodeid if fixturedef.scope == "function" else ""
    with drawing(f"{fixturedef.baseid} {fixturedef.argname} {getattr(request, 'param', '')} {place}"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test draws the same alone and among others."""
    with drawing(item.nodeid):
        return (yield)


WHOLLY_SLOW = re.compile(r"^pytestmark = .*\bmark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For ``make quick``: a module that is slow as a whole is not even imported."""
    if config.getoption("markexpr") != "not slow" or collection_path.suffix != ".py":
        return None
    return WHOLLY_SLOW.search(collection_path.read_text(encoding="utf-8")) is not None or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """For ``make quick``: a property that asks for more examples gets no more than the others."""
    # The attribute by which Hypothesis itself, and its plugin for pytest, find a test's settings.
    test = getattr(item, "obj", None)
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if PROFILE == "quick" and asked is not None and asked.max_examples > QUICK:
        test = getattr(test, "__func__", test)
        test._hypothesis_internal_use_settings = settings(asked, max_examples=QUICK)  # type: ignore[union-attr]


LONG = (
    "plugins/stela-page/tests/test_parity.py",
    "plugins/stela-payload/tests/test_validity.py",
    "tests/test_wheels.py",
    "tests/runner/test_run.py",
    "tests/runner/report/test_browser.py",
    "plugins/stela-page/tests/test_browser.py",
)
"""Files of few tests that take a minute and more."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In several processes long files come first: begun last, one would keep a single process busy."""
    if "PYTEST_XDIST_WORKER" in os.environ and not config.getoption("random_order_enabled", False):
        sizes = Counter(item.path for item in items)
        items.sort(key=lambda item: (not item.nodeid.startswith(LONG), -sizes[item.path], item.path))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """``--dist loadfile`` keeps our order.

    ``--dist loadscope``: a room's tests run in one worker, which alone makes what they share.
    """
    if config.getoption("dist") == "loadfile":
        config.option.loadscopereorder = False  # the order of pytest_collection_modifyitems
    if config.getoption("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByRoom(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return str(PurePosixPath(nodeid.partition("::")[0]).parent)

    return ByRoom(config, log)


@pytest.fixture(scope="session")
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()
