import pytest
from stela_testing import GreenListContract

from stela_core.builtin.hashers import KeyedHasher


@pytest.mark.parametrize("gamma", [0.1, 0.25, 0.5], scope="class")
class TestKeyed(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, gamma: float) -> KeyedHasher:
        return KeyedHasher(KeyedHasher.Parameters(gamma=gamma, context_width=2), 0xFEEDC0DE)
