import pytest
from stela_causal.tagger import CausalTagger
from stela_fr import French
from stela_testing import TaggerContract

SAMPLE = (
    "Je sens qu'entre ça et les films de méde"
    "cins et scientifiques fous que nous avon"
    "s déjà vus, nous pourrions emprunter un "
    "autre chemin pour l'origine. On pourra t"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestFrench(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return French()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(French().tables()) == {2, 3, 4}
