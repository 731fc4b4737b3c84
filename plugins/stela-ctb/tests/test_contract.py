import pytest
from ctb_texts import ODD, SENTENCES, windows
from stela_ctb import Ctb
from stela_testing.taggers import TaggerContract

pytestmark = pytest.mark.slow


@pytest.mark.deep(stand_in="TestCausal", only=["test_a_long_text"])
class TestShipped(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Ctb:
        return Ctb()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [*windows(80), *SENTENCES, *ODD]


class TestCausal(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Ctb:
        return Ctb(Ctb.Parameters(model="causal"))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [*windows(80), *SENTENCES, *ODD]
