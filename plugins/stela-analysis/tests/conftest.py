"""Real small samples: eight texts of forty tokens by the embedded model."""

from __future__ import annotations

import pytest
import stela_run
from stela_run.testing import make_sample

import stela_core as stela


@pytest.fixture(scope="session")
def sample(registry: stela.Registry) -> stela_run.Sample:
    """Marked by stela with Penn tags, unmarked texts tested under three keys."""
    return make_sample(registry, "stela", delta=2.0)


@pytest.fixture(scope="session")
def kgw(registry: stela.Registry) -> stela_run.Sample:
    """Marked without a tagger, and weighed alike."""
    return make_sample(registry, "kgw", model="tiny-small", length=30)
