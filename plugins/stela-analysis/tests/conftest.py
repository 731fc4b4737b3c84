"""Real small samples: eight texts of forty tokens by the embedded model."""

from __future__ import annotations

import pytest

import stela_core as stela
from stela_core.testing.samples import make_sample


@pytest.fixture(scope="session")
def sample(registry: stela.Registry) -> stela.Sample:
    """Marked by stela with Penn tags, unmarked texts tested under three keys."""
    return make_sample(registry, "stela", delta=2.0)


@pytest.fixture(scope="session")
def kgw(registry: stela.Registry) -> stela.Sample:
    """Marked without a tagger, and weighed alike."""
    return make_sample(registry, "kgw", model="tiny-small", length=30)
