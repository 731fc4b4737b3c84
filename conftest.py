"""Fixtures for the tests of the core and of every plugin."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # The workers share the cores: a pool of threads in each makes torch wait for itself.
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# What is remembered of profiles lies apart from the user's own, for commands in other processes too.
os.environ["STELA_STATE"] = tempfile.mkdtemp(prefix="stela-tests-")

import stela_core as stela

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


@pytest.fixture(scope="session")
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()
