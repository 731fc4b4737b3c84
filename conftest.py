"""Fixtures for the tests of the core and of every plugin."""

from __future__ import annotations

import os

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:
    # The workers share the cores: a pool of threads in each makes torch wait for itself.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import stela_core as stela


@pytest.fixture(scope="session")
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()
