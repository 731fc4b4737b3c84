import pytest
from stela_causal.tagger import CausalTagger
from stela_de import German
from stela_testing import TaggerContract

SAMPLE = (
    "Der Hauptgang war in Ordnung, aber alles"
    " andere als umwerfend. Ich habe dort 200"
    "7 meinen OWD gemacht und weil mir das Ta"
    "uchen so gefiel hab ich dort noch im sel"
)


class TestGerman(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return German()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(German().tables()) == {2, 3, 4}
