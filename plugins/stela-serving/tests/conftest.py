from __future__ import annotations

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from tests.helpers import OnDemand

from .request_marks import Made, make


@pytest.fixture(scope="session")
def request_marks(
    registry: stela.Registry, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Made]:
    """By name, each made when it is first asked for."""
    return OnDemand(lambda name: make(name, registry, tokenizer, tmp_path_factory.mktemp("plugin")))
