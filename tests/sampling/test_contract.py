"""The plainest Gumbel mark keeps the contract of hashers that choose tokens."""

from __future__ import annotations

import pytest
from stela_testing import ChoiceContract

import stela_core as stela
from tests.sampling.plain_gumbel import PlainGumbel, PlainParameters


class TestPlainGumbel(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return PlainGumbel(PlainParameters(), 5)
