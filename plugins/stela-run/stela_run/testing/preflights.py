"""Preflights for tests: what an attack or a metric asks for before a run is there, or nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from stela_core import StelaError
from stela_run.attack import Attack
from stela_run.metric import Metric
from stela_run.preflight import Preflight


class Everything(Preflight):
    """All that is asked for is there."""

    def model(self, name: str, weights: bool = True) -> None:
        """A model."""

    def tagger(self, spec: str) -> None:
        """A tagger."""

    def device(self, name: str) -> None:
        """A device."""

    def path(self, given: str) -> Path:
        """A file."""
        return Path(given)


class Nothing(Preflight):
    """Nothing is there; ``asked`` counts how often."""

    asked = 0

    def model(self, name: str, weights: bool = True) -> None:
        """No model."""
        self._missing(name)

    def tagger(self, spec: str) -> None:
        """No tagger."""
        self._missing(spec)

    def device(self, name: str) -> None:
        """No device."""
        self._missing(name)

    def path(self, given: str) -> Path:
        """No file."""
        raise self._missing(given)

    def _missing(self, name: str) -> StelaError:
        self.asked += 1
        raise StelaError(f'"{name}" is not there.', "name another one")


def check_preflight(component: Attack | Metric) -> None:
    """Assert that a check passes where all is there, and that what is missing ends it with one line."""
    component.check(Everything())
    nothing = Nothing()
    try:
        component.check(nothing)
    except StelaError as error:
        one_line(error)
    else:
        assert not nothing.asked, "it asks, and does not mind the answer"


def one_line(error: StelaError) -> None:
    """Assert that an error is what a user can read: a line, with a hint."""
    assert "\n" not in str(error)
    assert error.message
    if not error.hint:
        pytest.fail(f"no hint what to do: {error.message}")
