from __future__ import annotations

import pytest
import stela_run
from stela_run.testing import make_sample

import stela_core as stela


@pytest.fixture(scope="session")
def sample(registry: stela.Registry) -> stela_run.Sample:
    """Eight texts of 40 tokens of the embedded model, marked by STELA."""
    return make_sample(registry, "stela")
