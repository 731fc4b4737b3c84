from __future__ import annotations

import pytest

import stela_core as stela
from stela_core.testing.samples import make_sample


@pytest.fixture(scope="session")
def sample(registry: stela.Registry) -> stela.Sample:
    """Eight texts of 40 tokens of the embedded model."""
    return make_sample(registry)
