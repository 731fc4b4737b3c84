"""Fixtures for the tests of the core and of every plugin."""

from __future__ import annotations

import pytest

import stela_core as stela


@pytest.fixture(scope="session")
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()
